// What beginning takes: init(), the first log call of a process, of a statement, of a thread and of
// a child of fork(). Most can happen once in a process, so a process counts one.
//
//   counted_first_calls                        prints the names
//   counted_first_calls --instructions NAME    under callgrind: one dump, named after it
//   counted_first_calls --system-calls NAME    prints the number of system calls

#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <ringside/ringside.hpp>
#include <sys/wait.h>
#include <valgrind/callgrind.h>

#include "tests/instruction-counts/counted_statement.hpp"
#include "tests/instruction-counts/stepped_run.hpp"

namespace {

using namespace ringside::test;

[[gnu::noinline]] void log_call() {
  RS_INFO("Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
          opaque(1032024U), opaque(1016544U));
}

[[gnu::noinline]] void another_log_call() {
  RS_INFO("Opened session with %u", opaque(7U));
}

void begin() {
  // The library measures the clock from its load, and would wait here until it has.
  usleep(1000);
  ringside::init();
}

// Does `prepare` in a thread that lives on, so that the calling one has no ring and gets a new one.
void in_another_thread(void (*prepare)()) {
  static bool is_prepared = false;
  std::thread([prepare] {
    prepare();
    __atomic_store_n(&is_prepared, true, __ATOMIC_RELEASE);  // acquired below
    for (;;) pause();
  }).detach();
  while (!__atomic_load_n(&is_prepared, __ATOMIC_ACQUIRE)) usleep(100);
}

// Goes on in the child.
void begin_and_fork() {
  begin();
  log_call();
  const pid_t child = fork();
  if (child == 0) return;
  int status = 1;
  waitpid(child, &status, 0);
  _exit(status == 0 ? 0 : 1);
}

// Only under callgrind: a child of the traced process is not traced.
constexpr const char* kOfChild = "first_call_of_child";

struct Beginning {
  const char* name;
  void (*prepare)();
  void (*run)();
};

constexpr Beginning kBeginnings[] = {
    {"first_nothing", [] { begin(); }, [] {}},
    {"first_init", [] { usleep(1000); }, [] { ringside::init(); }},
    {"first_call_of_process", begin, log_call},
    {"first_call_of_statement",
     [] {
       begin();
       log_call();
     },
     another_log_call},
    {"first_call_of_thread",
     [] {
       begin();
       in_another_thread(log_call);
     },
     log_call},
    {kOfChild, begin_and_fork, log_call},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 3 ? argv[1] : "";
  for (const Beginning& beginning : kBeginnings) {
    if (argc == 1) std::printf("%s\n", beginning.name);
    if (argc != 3 || std::strcmp(argv[2], beginning.name) != 0) continue;
    if (mode == "--system-calls") {
      std::printf("%ld\n", static_cast<long>(count_system_calls([&beginning] {
                    beginning.prepare();
                    step_mark();
                    beginning.run();
                    step_mark();
                  })));
      return 0;
    }
    beginning.prepare();
    CALLGRIND_ZERO_STATS;
    beginning.run();
    CALLGRIND_DUMP_STATS_AT(beginning.name);
    const ringside::Status status = ringside::status();
    _exit(status.dropped == 0 && status.refused == 0 ? 0 : 1);  // another thread never ends
  }
  return argc == 1 ? 0 : 2;
}
