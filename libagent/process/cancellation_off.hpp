#pragma once
// Cancellation of a thread waits until it has left the library: the library's system calls must not
// unwind the caller's frames, nor leave a lock held or a record unfinished.

#include <pthread.h>

namespace ringside {

class CancellationOff {
 public:
  CancellationOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former_); }
  ~CancellationOff() {
    int ours = 0;
    pthread_setcancelstate(former_, &ours);
  }
  int former() const { return former_; }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int former_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace ringside
