#include "tools/ringctl/descriptor_links.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace ringside::tool {

namespace fs = std::filesystem;

bool any_descriptor(pid_t pid, const std::function<bool(const std::string& link)>& check) {
  std::error_code error;
  for (fs::directory_iterator it(fmt::format("/proc/{}/fd", pid), error), end; !error && it != end;
       it.increment(error)) {
    if (check(it->path().string())) return true;
  }
  return false;
}

std::string path_of_link(const std::string& link) {
  std::array<char, 4096> text{};
  const ssize_t length = readlink(link.c_str(), text.data(), text.size());
  return {text.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
}

}  // namespace ringside::tool
