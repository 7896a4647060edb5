// A service whose threads move between two processors. Each record names the processor on which its
// thread runs, which the tests compare with the trace.
//
// usage: moving_threads
//
// Reads one command a line, and answers "done COMMAND":
//     move N    two threads: moves to the other processor and a record, N times each
//     log N     the main thread: N records without a move
//     fork      a child, which moves and logs one record
//     flush     waits until everything is in the file
//     die       SIGKILL to itself

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <sched.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <ringside/ringside.hpp>
#include <sys/wait.h>

namespace {

std::array<std::uint32_t, 2> g_processors{};

// False without two processors.
bool choose_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return false;
  std::size_t found = 0;
  for (std::uint32_t i = 0; i < CPU_SETSIZE && found < g_processors.size(); ++i) {
    if (CPU_ISSET(i, &set)) g_processors[found++] = i;
  }
  return found == g_processors.size();
}

// Of the calling thread: it runs there when this returns.
std::uint32_t move_to(unsigned which) {
  const std::uint32_t processor = g_processors[which % g_processors.size()];
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set);
  return processor;
}

void move_and_log(unsigned thread, unsigned times) {
  for (unsigned i = 0; i < times; ++i) {
    const std::uint32_t cpu = move_to(thread + i);
    RS_INFO("thread %u on %u", thread, cpu);
  }
}

}  // namespace

int main() {
  if (!choose_processors()) return 77;
  std::uint32_t cpu = move_to(1);
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    char command[16] = {};
    unsigned number = 0;
    // NOLINTNEXTLINE(cert-err34-c): a number out of range is a mistake of the test
    if (std::sscanf(line, "%15s %u", command, &number) < 1) continue;
    const std::string_view what = command;
    if (what == "move") {
      std::thread first(move_and_log, 1U, number);
      std::thread second(move_and_log, 2U, number);
      first.join();
      second.join();
    } else if (what == "log") {
      for (unsigned i = 0; i < number; ++i) RS_INFO("main on %u", cpu);
    } else if (what == "fork") {
      const pid_t child = fork();
      if (child == 0) {
        cpu = move_to(0);
        RS_INFO("child on %u", cpu);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
    } else if (what == "flush") {
      if (!ringside::flush(std::chrono::seconds(60))) return 1;
    } else if (what == "die") {
      kill(getpid(), SIGKILL);
    }
    std::printf("done %s\n", command);
    std::fflush(stdout);
  }
  return 0;
}
