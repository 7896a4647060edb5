#include "tools/ringrun/signal_inbox.hpp"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/ringrun/run_message.hpp"

namespace ringside::tool {
namespace {

constexpr int kTaken[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT, SIGUSR1,
                          SIGUSR2, SIGTSTP, SIGWINCH, SIGCONT, SIGCHLD};

}  // namespace

bool SignalInbox::open(std::string* why) {
  // With SIGCHLD ignored, the kernel would discard the ends of children.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &by_default, &original_child_);
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : kTaken) sigaddset(&taken, signal);
  sigset_t blocked = taken;
  sigaddset(&blocked, SIGPIPE);  // a failed write is enough
  pthread_sigmask(SIG_BLOCK, &blocked, &original_);
  fd_ = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ >= 0) return true;
  *why = fmt::format("cannot receive signals: {}; raise the limit of open files (ulimit -n)",
                     reason_of(errno));
  return false;
}

void SignalInbox::wait(int timeout_ms) const {
  pollfd signals{fd_, POLLIN, 0};
  poll(&signals, 1, timeout_ms);
}

std::optional<signalfd_siginfo> SignalInbox::take() const {
  signalfd_siginfo info{};
  if (read(fd_, &info, sizeof info) != sizeof info) return {};
  return info;
}

void SignalInbox::restore() const {
  sigaction(SIGCHLD, &original_child_, nullptr);
  pthread_sigmask(SIG_SETMASK, &original_, nullptr);
}

void SignalInbox::unblock_all() {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

int pending_end_signal() {
  sigset_t pending;
  sigpending(&pending);
  for (const int signal : kTaken) {
    if (asks_to_end(signal) && sigismember(&pending, signal) == 1) return signal;
  }
  return 0;
}

}  // namespace ringside::tool
