#pragma once
// What happens to a signal after a handler of the library has seen it: the same as without it.

#include <atomic>
#include <csignal>

namespace ringside {

// Whether the kernel raised the signal because of the running instruction.
bool is_fault(const siginfo_t& info);

// The action for a signal that was in force before the library's handler. Call assign() before that
// handler is installed; the rest is for any number of threads.
class FormerSignalAction {
 public:
  void assign(const struct sigaction& action) { action_ = action; }
  const struct sigaction& action() const { return action_; }
  bool is_handler() const;
  // The kernel would not have delivered this signal.
  bool ignores(int signal, const siginfo_t& info) const;

  // In the handler: calls the former one as the kernel would have called it, except that it runs on
  // the present stack. Without one, the process ends when the handler returns, with the exit
  // status, the siginfo and the registers that it would have had. Signal-safe.
  void pass_on(int signal, siginfo_t* info, void* context);

 private:
  struct sigaction action_ {};
  std::atomic<bool> is_spent_{false};  // it was to be called once (SA_RESETHAND)
};

// Restores the default action of the signal, and raises it again for the calling thread: it ends
// the process when the present handler returns.
void take_default_action(int signal, siginfo_t* info);

}  // namespace ringside
