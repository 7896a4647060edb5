// Forks while its threads log; parent and children all continue to log predictable records.
//
// usage: forking_service RECORDS
//
// Threads of the parent: 0 (which forks) and 1; of the first child: 10; of its child: 20; of the
// second child: 30, which is not the thread that was forked. Each logs RECORDS records.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "tests/end-to-end/log_predicted.hpp"

namespace {

using ringside::end_to_end::log_predicted;

void log_as(unsigned thread, std::uint64_t from, std::uint64_t to) {
  pthread_setname_np(pthread_self(), ("w" + std::to_string(thread)).c_str());
  for (std::uint64_t i = from; i < to; ++i) log_predicted(thread, i);
}

bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::uint64_t records = std::strtoull(argv[1], nullptr, 10);
  log_as(0, 0, records / 2);
  // Logs from before the first fork until after the last one. A thread that starts or ends
  // meanwhile could hold locks of the C library or of a sanitizer, and no thread in a child would
  // release them.
  std::atomic<bool> other_logs{false};
  std::atomic<bool> forked{false};
  std::thread other([records, &other_logs, &forked] {
    log_as(1, 0, records / 4);
    other_logs = true;
    log_as(1, records / 4, records);
    while (!forked) std::this_thread::yield();
  });
  while (!other_logs) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    log_as(10, 0, records / 2);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      log_as(20, 0, records);
      _exit(0);
    }
    log_as(10, records / 2, records);
    _exit(ended_well(grandchild) ? 0 : 1);
  }
  const pid_t second = fork();
  if (second == 0) {
    std::thread in_child([records] { log_as(30, 0, records); });
    in_child.join();
    _exit(0);
  }
  forked = true;
  log_as(0, records / 2, records);
  other.join();
  return ended_well(child) && ended_well(second) ? 0 : 1;
}
