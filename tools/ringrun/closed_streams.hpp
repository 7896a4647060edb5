#pragma once
// The standard streams that were closed when ringrun started. ringrun occupies their descriptors,
// and the program gets them closed as they were.

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace ringside::tool {

class ClosedStreams {
 public:
  // Call before anything is opened.
  ClosedStreams() {
    for (int fd = 0; fd < kCount; ++fd) closed_[static_cast<unsigned>(fd)] = fcntl(fd, F_GETFD) < 0;
  }

  bool has(int fd) const { return closed_[static_cast<unsigned>(fd)]; }

  // In the program's process, before it is executed.
  void close_again() const {
    for (int fd = 0; fd < kCount; ++fd) {
      if (has(fd)) close(fd);
    }
  }

 private:
  static constexpr int kCount = 3;
  std::array<bool, kCount> closed_{};
};

}  // namespace ringside::tool
