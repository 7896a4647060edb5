#include "tools/ringctl/held_presence.hpp"

#include <array>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "shm-layout/consumer_presence.hpp"

namespace ringside::tool {
namespace {

std::int64_t number_in(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Takes the read locks that /proc/PID/fdinfo/FD lists, one a line:
//   lock:  1: OFDLCK ADVISORY  READ -1 00:1a:4711 1000 1000
// Returns whether there were any.
bool copy_locks(const std::string& description, int fd) {
  std::ifstream file(description);
  bool any = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::string kind;
    std::string first;
    std::string last;
    if (!(words >> word >> word >> kind) || !line.starts_with("lock:") || kind != "OFDLCK")
      continue;
    for (int skipped = 0; skipped < 4; ++skipped) words >> word;
    if (!(words >> first >> last)) continue;
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = number_in(first);
    lock.l_len = last == "EOF" ? 0 : number_in(last) - lock.l_start + 1;
    any = fcntl(fd, F_OFD_SETLK, &lock) == 0 || any;
  }
  return any;
}

}  // namespace

OwnedFd hold_presence(pid_t pid, const std::string& shm_dir) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string path = fs::canonical(shm_dir, error) / shm::kPresenceName;
  for (fs::directory_iterator it(fmt::format("/proc/{}/fd", pid), error), end; !error && it != end;
       it.increment(error)) {
    std::array<char, 4096> text{};
    const ssize_t length = readlink(it->path().c_str(), text.data(), text.size());
    if (length < 0 || std::string_view(text.data(), static_cast<std::size_t>(length)) != path) {
      continue;
    }
    OwnedFd fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd && copy_locks(fmt::format("/proc/{}/fdinfo/{}", pid, it->path().filename().string()),
                         fd.get())) {
      return fd;
    }
  }
  return {};
}

}  // namespace ringside::tool
