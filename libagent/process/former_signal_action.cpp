#include "libagent/process/former_signal_action.hpp"

#include <cerrno>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include <sys/syscall.h>

namespace ringside {
namespace {

void block(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
}

// The mask that the kernel would have set for the former handler.
void set_mask_for(const struct sigaction& action, int signal, const void* context) {
  sigset_t mask = static_cast<const ucontext_t*>(context)->uc_sigmask;
  for (int each = 1; each < NSIG; ++each) {
    if (sigismember(&action.sa_mask, each) == 1) sigaddset(&mask, each);
  }
  if ((action.sa_flags & static_cast<int>(SA_NODEFER)) == 0) sigaddset(&mask, signal);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

}  // namespace

bool is_fault(const siginfo_t& info) {
  const bool is_memory_error = info.si_signo == SIGBUS && info.si_code == BUS_MCEERR_AO;
  return info.si_code > 0 && !is_memory_error;
}

bool FormerSignalAction::is_handler() const {
  return action_.sa_handler != SIG_DFL && action_.sa_handler != SIG_IGN;
}

bool FormerSignalAction::ignores(int signal, const siginfo_t& info) const {
  if (action_.sa_handler != SIG_IGN || is_fault(info)) return false;
  // abort() ends the process in any case.
  return signal != SIGABRT || info.si_code != SI_TKILL || info.si_pid != getpid();
}

void FormerSignalAction::pass_on(int signal, siginfo_t* info, void* context) {
  const bool is_spent = (action_.sa_flags & static_cast<int>(SA_RESETHAND)) != 0 &&
                        is_spent_.exchange(true, std::memory_order_relaxed);
  if (is_handler() && !is_spent) {
    set_mask_for(action_, signal, context);
    if ((action_.sa_flags & SA_SIGINFO) != 0) return action_.sa_sigaction(signal, info, context);
    return action_.sa_handler(signal);
  }
  if (action_.sa_handler == SIG_IGN && !is_fault(*info)) return;
  take_default_action(signal, info);
}

// The signal stays pending until the handler returns to the interrupted instruction: a core dump
// has its registers, and the siginfo of the first time. A fault that another thread has repaired
// meanwhile ends the process too.
void take_default_action(int signal, siginfo_t* info) {
  const int error = errno;
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  block(signal);
  const long process = syscall(SYS_getpid);
  const long thread = syscall(SYS_gettid);
  if (syscall(SYS_rt_tgsigqueueinfo, process, thread, signal, info) != 0 && !is_fault(*info)) {
    syscall(SYS_tgkill, process, thread, signal);
  }
  errno = error;
}

}  // namespace ringside
