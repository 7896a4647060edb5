#include "tools/ringrun/process_end.hpp"

#include <cstring>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tools/ringrun/ringrun_exit_codes.hpp"

namespace ringside::tool {
namespace {

std::string signal_text(int signal) {
  const char* const name = sigabbrev_np(signal);
  const char* const description = sigdescr_np(signal);
  if (name == nullptr || description == nullptr) return fmt::format("signal {}", signal);
  return fmt::format("SIG{} ({})", name, description);
}

}  // namespace

ChildNews news_of(pid_t child) {
  siginfo_t info{};
  const int asked = WEXITED | WSTOPPED | WNOHANG;
  if (waitid(P_PID, static_cast<id_t>(child), &info, asked) != 0 || info.si_pid == 0) return {};
  switch (info.si_code) {
    case CLD_STOPPED:
    case CLD_TRAPPED:
      return {.has_stopped = true, .stop_signal = info.si_status, .end = {}};
    case CLD_EXITED:
      return {.has_stopped = false, .stop_signal = 0, .end = ProcessEnd{.status = info.si_status}};
    default:
      return {
          .has_stopped = false,
          .stop_signal = 0,
          .end = ProcessEnd{.signal = info.si_status, .dumped_core = info.si_code == CLD_DUMPED}};
  }
}

std::string text_of(const ProcessEnd& end) {
  if (end.signal == 0) return fmt::format("exited with status {}", end.status);
  return fmt::format("was ended by {}{}", signal_text(end.signal),
                     end.dumped_core ? ", core dumped" : "");
}

void end_like(const ProcessEnd& end) {
  if (end.signal == 0) _exit(end.status);
  // The program's core is wanted, not that of this process.
  prctl(PR_SET_DUMPABLE, 0);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(end.signal, &by_default, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, end.signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(end.signal);
  _exit(kRunSignalBase + end.signal);
}

}  // namespace ringside::tool
