#pragma once
// A call into the library off the hot path.

#include <cerrno>

#include "libagent/process/cancellation_off.hpp"

namespace ringside {

// Preserves errno for the caller, who logged and did not request a system call. Counts the nested
// slow calls of this thread (one interrupted by the other's signal handler), so that a fork in a
// handler knows the calls that the child will return into.
class SlowCall {
 public:
  SlowCall() : errno_(errno) {
    if (depth_++ == 0) former_cancellation_ = cancellation_off_.former();
  }
  ~SlowCall() {
    if (depth_ != 0) --depth_;
    if (inherited_ > depth_) inherited_ = depth_;
    errno = errno_;
  }
  SlowCall(const SlowCall&) = delete;
  SlowCall& operator=(const SlowCall&) = delete;

  static int depth() { return depth_; }
  // In a child, after fork: the parent began all present calls.
  static void inherit() { inherited_ = depth_; }
  // The number of those that the child has not returned from yet.
  static int inherited() { return inherited_; }
  // All present calls were abandoned, without their destructors.
  static void forget_all() {
    if (depth_ == 0) return;
    depth_ = 0;
    inherited_ = 0;
    int ours = 0;
    pthread_setcancelstate(former_cancellation_, &ours);
  }

 private:
  static inline constinit thread_local int depth_ = 0;
  static inline constinit thread_local int inherited_ = 0;
  // The state of the outermost call's caller.
  static inline constinit thread_local int former_cancellation_ = PTHREAD_CANCEL_ENABLE;
  const CancellationOff cancellation_off_;
  int errno_;
};

}  // namespace ringside
