#pragma once
// A stay in the library off the hot path.

#include <cerrno>

#include "libagent/cancellation_off.hpp"

namespace ringside {

// Keeps errno for the caller, who logged and did not ask for a system call. Counts how many such
// stays of this thread are interrupted, one by the other's signal handler, so that a fork in a
// handler can tell what the child will return into.
class SlowCall {
 public:
  SlowCall() : errno_(errno) { ++depth_; }
  ~SlowCall() {
    --depth_;
    if (inherited_ > depth_) inherited_ = depth_;
    errno = errno_;
  }
  SlowCall(const SlowCall&) = delete;
  SlowCall& operator=(const SlowCall&) = delete;

  static int depth() { return depth_; }
  // In a child, after fork: all present stays were begun by the parent.
  static void inherit() { inherited_ = depth_; }
  // How many of those the child has not returned from yet.
  static int inherited() { return inherited_; }

 private:
  static inline constinit thread_local int depth_ = 0;
  static inline constinit thread_local int inherited_ = 0;
  const CancellationOff cancellation_off_;
  int errno_;
};

}  // namespace ringside
