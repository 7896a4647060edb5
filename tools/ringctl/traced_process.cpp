#include "tools/ringctl/traced_process.hpp"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tools/scheduling/thread_facts.hpp"

namespace ringside::tool {
namespace {

namespace fs = std::filesystem;

// proc(5): a line of maps is "address perms offset dev inode pathname".
bool has_mapped(pid_t process, const struct stat& file) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  const std::string wanted =
      fmt::format(" {:02x}:{:02x} {} ", major(file.st_dev), minor(file.st_dev), file.st_ino);
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find(wanted) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::optional<pid_t> traced_process(const std::string& segment_path, std::uint32_t pid,
                                    std::string* why) {
  struct stat segment {};
  if (stat(segment_path.c_str(), &segment) != 0) {
    *why = fmt::format("cannot read {}: {}", segment_path, std::generic_category().message(errno));
    return {};
  }
  const auto same = static_cast<pid_t>(pid);
  const auto is_service = [&](pid_t process) {
    // A consumerd has the segment mapped, too.
    return inner_thread_id(process, static_cast<std::uint32_t>(process)) == pid &&
           has_mapped(process, segment);
  };
  if (is_service(same)) return same;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    pid_t process = 0;
    const auto number = std::from_chars(name.data(), name.data() + name.size(), process);
    if (number.ptr != name.data() + name.size() || process <= 0) continue;
    if (is_service(process)) return process;
  }
  *why = fmt::format(
      "process {} of {} is not visible here, or may not be looked at by this user; run ringctl as "
      "its user or as root, and in its PID namespace or above it",
      pid, segment_path);
  return {};
}

}  // namespace ringside::tool
