#include "tools/interop/stop_signals.hpp"

#include <cerrno>
#include <string_view>
#include <unistd.h>

#include <sys/signalfd.h>

namespace ringside::tool {
namespace {

extern "C" void note_further_signal(int /*signal*/) {
  constexpr std::string_view kNote =
      "ringcat: still writing what has arrived; SIGKILL ends it with a loss\n";
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kNote.data(), kNote.size());
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  socket_ = Socket(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
  signalfd_siginfo seen{};
  while (::read(socket_.fd(), &seen, sizeof seen) > 0) {
  }
  struct sigaction action = {};
  action.sa_handler = note_further_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace ringside::tool
