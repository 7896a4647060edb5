#include "stepped_process.hpp"

#include <cerrno>
#include <csignal>
#include <unistd.h>

#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

namespace ringside::consumer_test {
namespace {

// Not 0: a child that calls exit by mistake must not look like one that has done its work.
constexpr int kWorkDone = 73;

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

SteppedProcess::SteppedProcess(const std::function<void()>& work) {
  pid_ = fork();
  if (pid_ != 0) {
    if (pid_ < 0) return;
    const int status = wait_for(pid_);
    if (!WIFSTOPPED(status)) pid_ = -1;
    return;
  }
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
  raise(SIGSTOP);
  work();
  _exit(kWorkDone);
}

SteppedProcess::~SteppedProcess() {
  kill();
}

void SteppedProcess::kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  wait_for(pid_);
  pid_ = -1;
}

SteppedProcess::Step SteppedProcess::step() {
  if (pid_ < 0 || ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) != 0) return Step::kFailed;
  const int status = wait_for(pid_);
  if (WIFEXITED(status)) {
    pid_ = -1;
    return WEXITSTATUS(status) == kWorkDone ? Step::kEnded : Step::kFailed;
  }
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP) return Step::kFailed;
  user_regs_struct registers{};
  if (ptrace(PTRACE_GETREGS, pid_, nullptr, &registers) != 0) return Step::kFailed;
  // The instruction `syscall` stores the address of the next instruction in rcx.
  return registers.rcx == registers.rip ? Step::kSystemCall : Step::kInstruction;
}

}  // namespace ringside::consumer_test
