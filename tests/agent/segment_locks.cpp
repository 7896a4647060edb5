#include "tests/agent/segment_locks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace ringside::test {

bool is_locked(const std::string& path, std::int64_t byte) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_GE(fd, 0) << path;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  EXPECT_EQ(fcntl(fd, F_OFD_GETLK, &lock), 0);
  close(fd);
  return lock.l_type != F_UNLCK;
}

}  // namespace ringside::test
