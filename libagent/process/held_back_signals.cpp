#include "libagent/process/held_back_signals.hpp"

#include <cerrno>
#include <ctime>
#include <pthread.h>

namespace ringside {

HeldBackSignals::HeldBackSignals(std::initializer_list<int> signals) {
  sigset_t blocked;
  sigset_t pending;
  sigemptyset(&blocked);
  sigemptyset(&raised_by_us_);
  sigemptyset(&pending);
  sigpending(&pending);
  for (const int signal : signals) {
    sigaddset(&blocked, signal);
    if (sigismember(&pending, signal) == 0) sigaddset(&raised_by_us_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, &saved_mask_);
}

HeldBackSignals::~HeldBackSignals() {
  const int error = errno;
  sigset_t pending;
  // Checked first: a process that may only read and write has nothing to take.
  if (sigpending(&pending) == 0) {
    for (int signal = 1; signal < SIGRTMIN; ++signal) {
      const timespec at_once{};
      if (sigismember(&raised_by_us_, signal) == 1 && sigismember(&pending, signal) == 1) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, signal);
        sigtimedwait(&one, nullptr, &at_once);
      }
    }
  }
  pthread_sigmask(SIG_SETMASK, &saved_mask_, nullptr);
  errno = error;
}

}  // namespace ringside
