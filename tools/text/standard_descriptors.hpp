#pragma once
// Keeps descriptors 0 to 2 for standard streams: a tool must not open a file with one of these
// numbers.

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace ringside::tool {

// Occupies those that are closed (`ringcat -o trace 2>&-`): otherwise the next opened file would
// get the number, and messages would go into it. Reading and writing them still fails, so that a
// missing output is reported. False if that is impossible.
inline bool occupy_standard_descriptors() {
  for (;;) {
    const int fd = open("/", O_PATH | O_DIRECTORY);
    if (fd < 0) return false;
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return true;
  }
}

// Writes the buffer of standard output, for example help. False with errno if that, or an earlier
// write, failed; a reader that stops early (head, less) is not a failure.
inline bool flush_standard_output() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  const bool has_reader = poll(&output, 1, 0) != 1 || (output.revents & POLLERR) == 0;
  if (std::fflush(stdout) != 0) return errno == EPIPE;
  if (std::ferror(stdout) == 0 || !has_reader) return true;
  // The reason of an earlier failure is lost: an empty write reports it, for example a full disk.
  if (write(STDOUT_FILENO, "", 0) == 0) errno = EIO;
  return false;
}

}  // namespace ringside::tool
