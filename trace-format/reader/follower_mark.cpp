#include "trace-format/reader/follower_mark.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "trace-format/blocks/follower_lock.hpp"

namespace ringside::trace {

FollowerMark::FollowerMark(const std::string& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (fd_ < 0) return;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFollowerLockByte;
  lock.l_len = 1;
  if (::fcntl(fd_, F_OFD_SETLK, &lock) == 0) return;
  ::close(fd_);
  fd_ = -1;
}

FollowerMark::~FollowerMark() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace ringside::trace
