#pragma once
// A shared-memory directory that can be full.

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "tests/agent/process_test.hpp"

namespace ringside::test {

// Mounts a tmpfs of limited size on the test's directory.
class SmallDirectory {
 public:
  explicit SmallDirectory(const std::string& size) {
    const std::string options = "size=" + size;
    mounted_ = mount("none", shm_dir().c_str(), "tmpfs", 0, options.c_str()) == 0;
    if (!mounted_) why_ = std::strerror(errno);
  }
  ~SmallDirectory() {
    if (mounted_) umount2(shm_dir().c_str(), MNT_DETACH);
  }
  SmallDirectory(const SmallDirectory&) = delete;
  SmallDirectory& operator=(const SmallDirectory&) = delete;

  const std::string& why_not() const { return why_; }
  explicit operator bool() const { return mounted_; }
  void resize(const std::string& size) {
    const std::string options = "size=" + size;
    ASSERT_EQ(mount("none", shm_dir().c_str(), "tmpfs", MS_REMOUNT, options.c_str()), 0);
  }
  // Uses up the space, except for `leave` bytes.
  void fill_up(std::int64_t leave) {
    const int fd = open((shm_dir() + "/filler").c_str(), O_RDWR | O_CREAT, 0600);
    std::int64_t taken = 0;
    for (std::int64_t step = 1 << 20; step >= 4096; step /= 2) {
      while (fallocate(fd, 0, taken, step) == 0) taken += step;
    }
    ASSERT_EQ(ftruncate(fd, taken - leave), 0);
    close(fd);
  }
  void make_room() { unlink((shm_dir() + "/filler").c_str()); }

 private:
  bool mounted_ = false;
  std::string why_;
};

#define SMALL_DIRECTORY(name, size) \
  SmallDirectory name(size);        \
  if (!name) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << name.why_not()

}  // namespace ringside::test
