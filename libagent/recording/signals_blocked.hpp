#pragma once

#include <pthread.h>
#include <signal.h>

#include "libagent/recording/truncation_guard.hpp"

namespace ringside {

// All signals; without SIGBUS if its handler is ours: the kernel ends a process that blocks it when
// an access to a truncated segment raises it.
inline sigset_t signals_to_block() {
  sigset_t signals;
  sigfillset(&signals);
  if (is_truncation_guard_installed()) sigdelset(&signals, SIGBUS);
  return signals;
}

// All blockable signals of the calling thread, as above.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    const sigset_t signals = signals_to_block();
    pthread_sigmask(SIG_SETMASK, &signals, &saved_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t saved_{};
};

}  // namespace ringside
