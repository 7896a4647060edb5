#include "tools/interop/format_announcement.hpp"

#include <array>
#include <chrono>
#include <span>

namespace ringside::tool {
namespace {

// Limit of all announcements together; a longer text is not an announcement.
constexpr std::size_t kMostBytes = 4096;

}  // namespace

std::string announcement_of(std::string_view format) {
  return "ACCEPT " + std::string(format) + "\n";
}

bool announces(TcpSender& receiver, std::string_view format) {
  using Clock = std::chrono::steady_clock;
  const std::string wanted = announcement_of(format);
  const auto end = Clock::now() + std::chrono::milliseconds(kAnnouncementMs);
  std::string said = "\n";
  std::array<char, 256> room;
  while (said.size() < kMostBytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    const std::size_t bytes =
        receiver.read(std::as_writable_bytes(std::span(room)), static_cast<int>(left.count()));
    if (bytes == 0) return false;
    said.append(room.data(), bytes);
    std::erase(said, '\r');  // some systems end lines with CR LF
    if (said.find("\n" + wanted) != std::string::npos) return true;
  }
  return false;
}

}  // namespace ringside::tool
