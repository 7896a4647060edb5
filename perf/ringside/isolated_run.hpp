#pragma once
// Runs a measurement in a child process: the library is initialised once per process, and some rows
// need a new initialisation.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf/harness/result_line.hpp"

namespace ringside::perf {

// Returns what `run` returned in the child, an exit status. The caller must have no other threads.
template <class Run>
int in_child_process(Run&& run) {
  std::fflush(stdout);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    return kExitNotPossible;
  }
  if (child == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(kExitNotPossible);
    const int status = run();
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  std::fprintf(stderr, "a measuring process was killed by signal %d\n", WTERMSIG(status));
  return kExitDoesNotCount;
}

}  // namespace ringside::perf
