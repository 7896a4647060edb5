#include "perf/ringside/service_process.hpp"

#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

#include "perf/ringside/ringside_subject.hpp"

namespace ringside::perf {
namespace {

[[noreturn]] void serve(const ServiceProcess::Plan& plan, int say_ready, int wait_for_end) {
  if (!plan.traced) setenv("RINGSIDE_DISABLE", "1", 1);  // NOLINT(concurrency-mt-unsafe)
  init(plan.options);
  std::barrier logged(plan.threads + 1);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(plan.threads));
  for (int i = 0; i < plan.threads; ++i) {
    threads.emplace_back([&] {
      for (int record = 0; record < plan.records; ++record) {
        RingsideSubject::call<Case::two_integers>(record);
      }
      logged.arrive_and_wait();
      for (;;) pause();
    });
  }
  logged.arrive_and_wait();
  const Status status = ringside::status();
  const bool lost = status.dropped != 0 || status.refused != 0;
  const char verdict = plan.traced && (lost || !flush(std::chrono::seconds(30))) ? 'n' : 'y';
  if (write(say_ready, &verdict, 1) != 1) _exit(1);
  char end = 0;
  while (read(wait_for_end, &end, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace

ServiceProcess::ServiceProcess(const Plan& plan) {
  int ready[2];
  int end[2];
  if (pipe(ready) != 0) return;
  if (pipe(end) != 0) {
    close(ready[0]);
    close(ready[1]);
    return;
  }
  pid_ = fork();
  if (pid_ == 0) {
    close(ready[0]);
    close(end[1]);
    serve(plan, ready[1], end[0]);
  }
  close(ready[1]);
  close(end[0]);
  keep_alive_ = end[1];
  char verdict = 'n';
  ready_ = read(ready[0], &verdict, 1) == 1 && verdict == 'y';
  close(ready[0]);
}

ServiceProcess::~ServiceProcess() {
  if (keep_alive_ >= 0) close(keep_alive_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

}  // namespace ringside::perf
