#include "consumerd/log/message_output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/stat.h>

namespace ringside::consumer {
namespace {

bool is_same_file(int one, int other) {
  struct stat first {};
  struct stat second {};
  return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

MessageOutput::MessageOutput(int fd) : fd_(fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return;
  if (S_ISSOCK(info.st_mode)) {
    way_ = Way::kSocket;
  } else if (S_ISFIFO(info.st_mode) || isatty(fd) != 0) {
    // Opens a separate open file description, with separate flags. Other devices are not opened
    // twice, because opening them can have effects.
    own_ = UniqueFd(open(("/proc/self/fd/" + std::to_string(fd)).c_str(),
                         O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    // The pipe belongs to another user, or /proc is missing.
    way_ = own_ ? Way::kOwn : Way::kPolled;
  }
}

bool MessageOutput::write(std::string_view line) {
  if (!write_rest()) return false;
  const ssize_t written = put(line);
  if (written <= 0) return false;
  rest_ = line.substr(static_cast<std::size_t>(written));
  return true;
}

bool MessageOutput::write_rest() {
  if (rest_.empty()) return true;
  const ssize_t written = put(rest_);
  if (written > 0) rest_.erase(0, static_cast<std::size_t>(written));
  return rest_.empty();
}

// Writes until no more is accepted. Returns how much was written.
ssize_t MessageOutput::put(std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = put_once(text.substr(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(done);
}

ssize_t MessageOutput::put_once(std::string_view text) {
  switch (way_) {
    case Way::kOwn:
      if (is_same_file(fd_, own_.get())) return ::write(own_.get(), text.data(), text.size());
      [[fallthrough]];  // the descriptor was redirected since
    case Way::kPolled: {
      pollfd room{fd_, POLLOUT, 0};
      if (poll(&room, 1, 0) <= 0) return 0;
      return ::write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    }
    case Way::kSocket:
      return send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Way::kDirect:
      break;
  }
  return ::write(fd_, text.data(), text.size());
}

}  // namespace ringside::consumer
