#pragma once
// Counts instructions by single steps, for code that valgrind cannot run, and system calls.

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

// Runs `run` in a child and returns how often it stops between its first and its second
// step_mark() if it is continued with `request`; -1 if this process may not trace another.
inline std::int64_t count_stops(__ptrace_request request, auto&& run) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(127);
    raise(SIGSTOP);
    run();
    _exit(0);
  }
  std::int64_t stops = -1;
  bool counting = false;
  for (int status = 0; waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);) {
    if (WSTOPSIG(status) == SIGUSR1) {
      if (counting) break;
      counting = true;
      stops = 0;
    } else if (counting) {
      ++stops;
    }
    if (ptrace(counting ? request : PTRACE_CONT, pid, nullptr, nullptr) != 0) break;
  }
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return stops;
}

// The number of instructions between the marks, including the few of the marks themselves.
inline std::int64_t count_by_steps(auto&& run) {
  return count_stops(PTRACE_SINGLESTEP, run);
}

// The number of system calls of the calling thread between the marks, including those of the marks
// themselves.
inline std::int64_t count_system_calls(auto&& run) {
  const std::int64_t stops = count_stops(PTRACE_SYSCALL, run);
  return stops < 0 ? stops : stops / 2;  // one at its begin, one at its end
}

}  // namespace ringside::test
