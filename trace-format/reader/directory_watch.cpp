#include "trace-format/reader/directory_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include <sys/inotify.h>

namespace ringside::trace {

DirectoryWatch::DirectoryWatch() : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

DirectoryWatch::~DirectoryWatch() {
  if (fd_ >= 0) ::close(fd_);
}

void DirectoryWatch::add(const std::string& path) {
  if (fd_ >= 0) ::inotify_add_watch(fd_, path.c_str(), IN_CREATE | IN_MOVED_TO | IN_MODIFY);
}

bool DirectoryWatch::wait(int timeout_ms) {
  constexpr int kLongestMs = 1000;
  constexpr int kLongestWithoutEventsMs = 100;
  const int longest = fd_ >= 0 ? kLongestMs : kLongestWithoutEventsMs;
  pollfd watched{fd_, POLLIN, 0};
  const int bound = timeout_ms < 0 ? longest : std::min(timeout_ms, longest);
  if (::poll(&watched, fd_ >= 0 ? 1 : 0, bound) < 0) return false;
  std::array<char, 16384> events{};
  while (fd_ >= 0 && ::read(fd_, events.data(), events.size()) > 0) {
    // The event's content is irrelevant: the caller checks the files.
  }
  return true;
}

}  // namespace ringside::trace
