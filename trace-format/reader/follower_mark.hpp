// Shows the writer of a trace file that this process follows it.
#pragma once

#include <string>

namespace ringside::trace {

// Holds the lock of follower_lock.hpp on the file as long as it exists. Without a descriptor, or on
// a file system without locks, it has no effect: records arrive later.
class FollowerMark {
 public:
  explicit FollowerMark(const std::string& path);
  ~FollowerMark();
  FollowerMark(const FollowerMark&) = delete;
  FollowerMark& operator=(const FollowerMark&) = delete;

 private:
  int fd_;
};

}  // namespace ringside::trace
