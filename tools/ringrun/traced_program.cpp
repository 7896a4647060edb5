#include "tools/ringrun/traced_program.hpp"

#include <csignal>
#include <cstdlib>

#include "tools/processes/started_process.hpp"

namespace ringside::tool {
namespace {

bool is_of_job_control(int signal) {
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// As the program: otherwise the shell would go on waiting for this process. Returns when this
// process continues; the SIGCONT is in the inbox then.
void stop_self(int signal) {
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&pending, SIGCONT) == 1) return;  // the job has been continued already
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigset_t before;
  pthread_sigmask(SIG_UNBLOCK, &only, &before);
  raise(signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

int TracedProgram::start(const RunOptions& options, const std::string& shm_dir,
                         const ClosedStreams& closed, const SignalInbox& inbox) {
  const auto prepare = [&] {
    setenv("RINGSIDE_SHM_DIR", shm_dir.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
    if (!options.level.empty()) {
      setenv("RINGSIDE_LEVEL", options.level.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    }
    closed.close_again();
    inbox.restore();
  };
  // SIGKILL cannot be forwarded otherwise.
  const StartedProcess started = start_process(options.program, SIGKILL, prepare);
  pid_ = started.pid;
  return started.error;
}

// The program has the terminal's signals already: the kernel sends them to the whole group.
void TracedProgram::forward(const signalfd_siginfo& signal) const {
  if (signal.ssi_code != SI_KERNEL) kill(pid_, static_cast<int>(signal.ssi_signo));
}

ProcessEnd TracedProgram::wait(const SignalInbox& inbox,
                               const std::function<void()>& child_ended) const {
  for (;;) {
    bool has_news = false;
    while (const auto signal = inbox.take()) {
      if (signal->ssi_signo == SIGCHLD) {
        has_news = true;
      } else {
        forward(*signal);
      }
    }
    if (has_news) {
      child_ended();
      const ChildNews news = news_of(pid_);
      if (news.end) return *news.end;
      if (news.has_stopped && is_of_job_control(news.stop_signal)) stop_self(news.stop_signal);
    }
    inbox.wait(-1);
  }
}

}  // namespace ringside::tool
