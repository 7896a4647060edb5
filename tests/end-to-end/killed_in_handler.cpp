// At each instruction of a log call, in a new process, a signal handler logs and then kills the
// process. With --twice, a handler that interrupts that handler's log call does so. Prints how many
// log calls of handlers returned, or -1 where single steps are not available.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/single_steps.hpp"

#if !defined(RS_TEST_SINGLE_STEPS)
int main() {
  std::puts("-1");
}
#else

namespace {

using ringside::test::begin_stepping;
using ringside::test::end_stepping;

unsigned long g_steps = 0;
unsigned long g_log_at = 0;
bool g_twice = false;

void record_and_die() {
  RS_INFO("handler");
  kill(getpid(), SIGKILL);
}

void step(int) {
  if (++g_steps != g_log_at) return;
  if (!g_twice) record_and_die();
  RS_INFO("handler");
  // The handler interrupts this record, written by hand, before it is complete.
  std::uint64_t tsc = 0;
  const std::uint64_t start = rs_reserve(RS_SWITCH_ON, 8, &tsc);
  static_cast<void>(start);
  std::signal(SIGUSR1, [](int) { record_and_die(); });
  std::raise(SIGUSR1);
}

int run_child(unsigned long log_at) {
  g_log_at = log_at;
  // With this policy no call checks the segment's file, which would block SIGTRAP.
  setenv("RINGSIDE_OVERFLOW", "drop", 1);  // NOLINT(concurrency-mt-unsafe)
  ringside::preallocate();
  std::signal(SIGTRAP, step);
  begin_stepping();
  RS_INFO("outer %d", 1);
  end_stepping();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  g_twice = argc > 1 && std::strcmp(argv[1], "--twice") == 0;
  unsigned long killed = 0;
  for (;; ++killed) {
    const pid_t child = fork();
    if (child == 0) _exit(run_child(killed + 1));
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 1;
    if (WIFEXITED(status)) break;
  }
  std::printf("%lu\n", g_twice ? 2 * killed : killed);
  return 0;
}

#endif
