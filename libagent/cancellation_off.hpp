#pragma once
// A thread that is cancelled goes on until it has left the library: its system calls must not
// unwind the caller's frames, nor leave a lock or half a record behind.

#include <pthread.h>

namespace ringside {

class CancellationOff {
 public:
  CancellationOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &former_); }
  ~CancellationOff() {
    int ours = 0;
    pthread_setcancelstate(former_, &ours);
  }
  CancellationOff(const CancellationOff&) = delete;
  CancellationOff& operator=(const CancellationOff&) = delete;

 private:
  int former_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace ringside
