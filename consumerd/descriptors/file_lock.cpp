#include "consumerd/descriptors/file_lock.hpp"

#include <fcntl.h>

namespace ringside::consumer {
namespace {

struct flock write_lock(std::int64_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

}  // namespace

bool try_lock_byte(int fd, std::int64_t byte) {
  struct flock lock = write_lock(byte);
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool try_lock_byte_shared(int fd, std::int64_t byte) {
  struct flock lock = write_lock(byte);
  lock.l_type = F_RDLCK;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool try_lock_whole_shared(int fd) {
  struct flock lock = write_lock(0);
  lock.l_type = F_RDLCK;
  lock.l_len = 0;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool try_lock_whole(int fd) {
  struct flock lock = write_lock(0);
  lock.l_len = 0;
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

void unlock_byte(int fd, std::int64_t byte) {
  struct flock lock = write_lock(byte);
  lock.l_type = F_UNLCK;
  fcntl(fd, F_OFD_SETLK, &lock);
}

bool byte_is_locked(int fd, std::int64_t byte) {
  struct flock lock = write_lock(byte);
  // If the kernel cannot answer, assume that the owner is alive.
  if (fcntl(fd, F_OFD_GETLK, &lock) != 0) return true;
  return lock.l_type != F_UNLCK;
}

bool byte_is_surely_locked(int fd, std::int64_t byte) {
  struct flock lock = write_lock(byte);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace ringside::consumer
