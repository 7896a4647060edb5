#include "libagent/process/segment_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>

#include "shm-layout/segment_lock.hpp"

namespace ringside {
namespace {

constexpr int kFirstAboveStandardStreams = 3;
// The service's next file gets the lowest free number, so a high number stays out of its way. Not
// higher than this, because the kernel's table grows with the number.
constexpr rlim_t kHighNumber = 512;

// Moves `fd` to a high number. If that fails, keeps it above the standard streams; if that fails
// too, closes it. -1 with errno.
int move_up(int fd) {
  if (fd < 0) return -1;
  rlimit limit{};
  const rlim_t most = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
  const auto high =
      static_cast<int>(std::clamp<rlim_t>(most / 2, kFirstAboveStandardStreams, kHighNumber));
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, high);
  if (moved < 0 && fd >= kFirstAboveStandardStreams) return fd;
  if (moved < 0) moved = fcntl(fd, F_DUPFD_CLOEXEC, kFirstAboveStandardStreams);
  const int error = errno;
  close(fd);
  errno = error;
  return moved;
}

// Already held if a mapping keeps the first description alive, as on tmpfs.
void lock_service_byte(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = shm::kServiceLockByte;
  lock.l_len = 1;
  fcntl(fd, F_OFD_SETLK, &lock);
}

}  // namespace

bool SegmentDescriptor::create(const std::string& path, mode_t mode) {
  path_ = path;
  const int fd =
      move_up(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  return fd >= 0 && adopt(fd);
}

bool SegmentDescriptor::adopt(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0) {
    close(fd);
    return false;
  }
  fd_ = fd;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  return true;
}

bool SegmentDescriptor::is_ours(int fd) const {
  struct stat info {};
  return fd >= 0 && fstat(fd, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

int SegmentDescriptor::get() {
  if (is_ours(fd_)) return fd_;
  fd_ = -1;
  // The name may refer to something else by now: do not follow links, do not wait.
  const int fd =
      move_up(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (fd < 0) return -1;
  if (!is_ours(fd)) {
    close(fd);
    errno = ESTALE;
    return -1;
  }
  lock_service_byte(fd);
  fd_ = fd;
  return fd_;
}

void SegmentDescriptor::remove_name() const {
  struct stat info {};
  if (lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) {
    unlink(path_.c_str());
  }
}

void SegmentDescriptor::close_own() {
  if (is_ours(fd_)) close(fd_);
  fd_ = -1;
}

}  // namespace ringside
