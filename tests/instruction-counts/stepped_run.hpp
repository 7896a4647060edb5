#pragma once
// Counts instructions by single steps: for code that valgrind cannot run.

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <unistd.h>

#include <sys/ptrace.h>
#include <sys/wait.h>

namespace ringside::test {

// In the stepped process: instructions between two calls are counted.
inline void step_mark() {
  raise(SIGUSR1);
}

// Runs `run` in a child and returns the number of instructions between its first and its second
// step_mark(), including the few of the marks themselves; -1 if this process may not trace another.
inline std::int64_t count_by_steps(auto&& run) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(127);
    raise(SIGSTOP);
    run();
    _exit(0);
  }
  std::int64_t steps = -1;
  bool stepping = false;
  for (int status = 0; waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);) {
    if (WSTOPSIG(status) == SIGUSR1) {
      if (stepping) break;
      stepping = true;
      steps = 0;
    } else if (stepping) {
      ++steps;
    }
    if (ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, nullptr, nullptr) != 0) break;
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return steps;
}

}  // namespace ringside::test
