#pragma once
// Keeps descriptors 0 to 2 for standard streams: consumerd must not open a file with one of these
// numbers.

#include <fcntl.h>
#include <unistd.h>

namespace ringside::consumer {

// Opens /dev/null on those that are closed (`consumerd 2>&-`): otherwise the next opened file would
// get the number, and log lines would go into it. False if that is impossible.
inline bool occupy_standard_descriptors() {
  for (;;) {
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0) fd = open("/", O_RDONLY | O_DIRECTORY);  // a root without devices
    if (fd < 0) return false;
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return true;
  }
}

}  // namespace ringside::consumer
