#include "libagent/process/standard_error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/stat.h>

#include "libagent/process/held_back_signals.hpp"
#include "libagent/process/unique_fd.hpp"

namespace ringside {
namespace {

// The file of the descriptor when the library was loaded.
struct stat g_loaded_with {};
bool g_was_open = false;

__attribute__((constructor(101))) void remember_standard_error() {
  const int error = errno;
  g_was_open = fstat(STDERR_FILENO, &g_loaded_with) == 0;
  errno = error;
}

// A service that closed its descriptors may since have opened a file or accepted a connection with
// this number, and our line would damage it. A log file is opened only for writing, or for
// appending.
bool is_standard_error(const struct stat& info) {
  if (g_was_open && info.st_dev == g_loaded_with.st_dev && info.st_ino == g_loaded_with.st_ino) {
    return true;
  }
  if (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode)) return true;
  if (!S_ISREG(info.st_mode)) return false;
  const int flags = fcntl(STDERR_FILENO, F_GETFL);
  return flags != -1 &&
         ((flags & O_APPEND) != 0 || (g_was_open && (flags & O_ACCMODE) == O_WRONLY));
}

bool takes_bytes_now() {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) != 0;
}

}  // namespace

void Reports::add(std::string_view text) {
  constexpr std::string_view kPrefix = "ringside: ";
  if (bytes_ + kPrefix.size() + 1 >= text_.size()) return;
  append(kPrefix);
  append(text.substr(0, text_.size() - 1 - bytes_));
  append("\n");
}

void Reports::append(std::string_view text) {
  std::copy(text.begin(), text.end(), text_.begin() + static_cast<std::ptrdiff_t>(bytes_));
  bytes_ += text.size();
}

Reports& unwritten_reports() {
  static constinit Reports reports{};
  return reports;
}

void report(std::string_view text) {
  unwritten_reports().add(text);
}

void write_to_standard_error(std::string_view text) {
  const int error = errno;
  struct stat info {};
  if (fstat(STDERR_FILENO, &info) == 0 && is_standard_error(info)) {
    const HeldBackSignals held({SIGPIPE, SIGXFSZ, SIGTTOU});
    [[maybe_unused]] ssize_t written = 0;
    if (S_ISREG(info.st_mode)) {
      written = write(STDERR_FILENO, text.data(), text.size());
    } else if (S_ISSOCK(info.st_mode)) {
      written = send(STDERR_FILENO, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (takes_bytes_now()) {
      // Another process may fill the pipe or stop the terminal before we write. A write to our own
      // description does not wait. The service's description does not change.
      const UniqueFd own(open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      // If the file may not be opened (after setuid): a pipe that accepts bytes accepts this many.
      written = write(own ? own.get() : STDERR_FILENO, text.data(), text.size());
    }
  }
  errno = error;
}

}  // namespace ringside
