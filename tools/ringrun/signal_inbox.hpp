#pragma once
// The signals of ringrun, as values: none interrupts it.

#include <csignal>
#include <optional>
#include <string>

#include <sys/signalfd.h>

namespace ringside::tool {

class SignalInbox {
 public:
  SignalInbox() = default;
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  // Blocks the signals. False with `*why` on failure.
  bool open(std::string* why);

  // Waits up to `timeout_ms` (negative: without limit) for a signal.
  void wait(int timeout_ms) const;
  // The next signal, if one has come.
  std::optional<signalfd_siginfo> take() const;

  // In a child: signals as this process got them.
  void restore() const;
  // In a child: no signal is blocked.
  static void unblock_all();

 private:
  int fd_ = -1;
  sigset_t original_{};
  struct sigaction original_child_ {};  // of SIGCHLD
};

// Whether it ends a program by default, and an operator or a service manager sends it.
constexpr bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// Such a signal that has come and is not taken; 0 if there is none.
int pending_end_signal();

}  // namespace ringside::tool
