#include "libagent/recording/consumer_liveness.hpp"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

#include "shm-layout/consumer_presence.hpp"
#include "shm-layout/segment_lock.hpp"

namespace ringside {
namespace {

// Read-only, so that no bytes that the service writes to a descriptor that it has just closed can
// get into the file; for the same reason never the number of a standard stream.
int open_above_standard_streams(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return above;
}

enum class Lock { free, held, no_file };

Lock lock_of_others(const char* path, std::int64_t byte) {
  const int fd = open_above_standard_streams(path);
  if (fd < 0) return errno == ENOENT ? Lock::no_file : Lock::free;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  // Only a query: it takes no lock, and closing the file drops none of this process's.
  const bool locked = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(fd);
  return locked ? Lock::held : Lock::free;
}

}  // namespace

bool consumer_holds_lock(const Segment& segment) {
  const Lock lock = lock_of_others(segment.path.c_str(), shm::kConsumerLockByte);
  // A consumer that does not have a removed segment yet never will.
  if (lock != Lock::free) return lock == Lock::held;
  return lock_of_others(segment.presence_path.c_str(), shm::presence_byte(segment.user_id)) ==
         Lock::held;
}

}  // namespace ringside
