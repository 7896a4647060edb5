#pragma once
// The locks on single bytes of a segment's file (shm-layout/segment_lock.hpp).

#include <cstdint>
#include <fcntl.h>

namespace ringside::tool {

// The argument of fcntl() that locks this byte for writing.
inline struct flock byte_lock(std::int64_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

// Whether another process holds it. `fd` need not be open for writing.
inline bool is_byte_locked(int fd, std::int64_t byte) {
  struct flock lock = byte_lock(byte);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace ringside::tool
