// What beginning costs: init(), the first log call of a thread on a ring that no thread had before,
// the calls after it, and the first log call of a child of fork(); beside two of them what the
// kernel takes for the same memory. Each process is measured once:
// it is this program, started again.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ringside/ringside.hpp>
#include <sys/wait.h>

#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/bare_ring.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/temporary_directory.hpp"

namespace {

using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8;
// Records of two integers: with 16 bytes each, less than a ring of 1 MiB.
constexpr int kRecordsOfLap = 60'000;

double us_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double timed_call() {
  const auto begin = Clock::now();
  RingsideSubject::call<Case::two_integers>(0);
  return us_since(begin);
}

struct FirstCalls {
  double init = 0;
  std::array<double, kThreads> first{};
  std::array<double, kThreads> second{};
  std::array<double, kThreads> bare{};   // what the kernel takes for the ring of the first call
  std::array<double, kThreads> worst{};  // of the first lap, without the first call
  std::array<double, kThreads> rest{};   // of the first lap, all calls after the first together
  double after_fork = 0;
  double bare_after_fork = 0;
  bool lost = true;
};

// The time that `work` takes in a child of fork(); negative if it fails, or `is_good()` does then.
template <class Work, class IsGood>
double us_in_child(Work&& work, IsGood&& is_good) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const auto begin = Clock::now();
    const bool done = work();
    const double us = us_since(begin);
    _exit(done && is_good() && write(ends[1], &us, sizeof us) == sizeof us ? 0 : 1);
  }
  close(ends[1]);
  double us = -1;
  const bool got = read(ends[0], &us, sizeof us) == sizeof us;
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  return got && status == 0 ? us : -1;
}

// Runs in a process that has not logged before.
FirstCalls measure_process(const ringside::Options& options) {
  FirstCalls calls;
  const auto begin = Clock::now();
  ringside::init(options);
  calls.init = us_since(begin);
  timed_call();  // registers the statement for all threads
  std::vector<std::thread> threads;
  const int bare_file = bare_ring_file(options.shm_dir + "/bare");
  std::atomic<bool> bare_refused{bare_file < 0};
  int done[2];
  if (pipe(done) != 0) return calls;
  std::array<std::atomic<bool>, kThreads> may_go_on{};
  const auto await_done = [&done] {
    char byte = 0;
    return read(done[0], &byte, 1) == 1;
  };
  for (std::size_t i = 0; i < kThreads; ++i) {
    // The threads stay alive, so that each of them gets a fresh ring.
    threads.emplace_back([&calls, &done, &may_go_on, &bare_refused, bare_file, i] {
      calls.first[i] = timed_call();
      calls.second[i] = timed_call();
      const auto bare = Clock::now();
      if (!map_bare_ring(bare_file, static_cast<int>(i))) bare_refused = true;
      calls.bare[i] = us_since(bare);
      if (write(done[1], "", 1) != 1) _exit(1);
      while (!may_go_on[i]) usleep(100);
      const auto lap = Clock::now();
      for (int record = 0; record < kRecordsOfLap; ++record) {
        const double us = timed_call();
        if (us > calls.worst[i]) calls.worst[i] = us;
      }
      calls.rest[i] = us_since(lap);
      if (write(done[1], "", 1) != 1) _exit(1);
      for (;;) pause();
    });
    if (!await_done()) return calls;
  }
  for (std::atomic<bool>& go : may_go_on) {
    go = true;
    if (!await_done()) return calls;
  }
  calls.after_fork = us_in_child(
      [] {
        RingsideSubject::call<Case::two_integers>(0);
        return true;
      },
      [] { return ringside::status().refused == 0; });
  calls.bare_after_fork =
      us_in_child([&options] { return create_bare_segment(options.shm_dir + "/bare_segment"); },
                  [] { return true; });
  const ringside::Status own = ringside::status();
  calls.lost = calls.after_fork < 0 || calls.bare_after_fork < 0 || bare_refused ||
               own.refused != 0 || own.dropped != 0;
  for (std::thread& thread : threads) thread.detach();
  return calls;
}

constexpr const char* kMeasuredProcess = "RINGSIDE_PERF_FIRST_CALL";

bool measure_in_child(FirstCalls* calls) {
  const TemporaryDirectory shm("/dev/shm");
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    setenv(kMeasuredProcess, shm.path().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    char name[] = "first_call";
    char* arguments[] = {name, nullptr};
    execv("/proc/self/exe", arguments);
    _exit(1);
  }
  close(ends[1]);
  const bool got = read(ends[0], calls, sizeof *calls) == sizeof *calls;
  close(ends[0]);
  int status = 1;
  waitpid(child, &status, 0);
  return got && status == 0 && !calls->lost;
}

// In the measured process.
[[noreturn]] void measure_and_exit(const char* shm_dir) {
  ringside::Options options;
  options.shm_dir = shm_dir;
  const FirstCalls measured = measure_process(options);
  _exit(write(STDOUT_FILENO, &measured, sizeof measured) == sizeof measured ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) try {
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (const char* const place = std::getenv(kMeasuredProcess)) measure_and_exit(place);
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row first_call of Ringside.", &exit_code);
  if (!options) return exit_code;
  std::vector<double> init;
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> worst;
  std::vector<double> rest;
  std::vector<double> after_fork;
  std::vector<double> bare;
  std::vector<double> bare_after_fork;
  const int processes = options->quick ? 3 : 5 * options->repeats;
  for (int i = 0; i < processes; ++i) {
    FirstCalls calls;
    if (!measure_in_child(&calls)) {
      std::fprintf(stderr, "a process lost records or ended early\n");
      return kExitDoesNotCount;
    }
    init.push_back(calls.init);
    first.insert(first.end(), calls.first.begin(), calls.first.end());
    second.insert(second.end(), calls.second.begin(), calls.second.end());
    worst.insert(worst.end(), calls.worst.begin(), calls.worst.end());
    for (const double us : calls.rest) rest.push_back(us * 1000 / kRecordsOfLap);
    after_fork.push_back(calls.after_fork);
    bare.insert(bare.end(), calls.bare.begin(), calls.bare.end());
    bare_after_fork.push_back(calls.bare_after_fork);
  }
  const auto print = [](const char* name, const char* metric, const char* unit,
                        const std::vector<double>& values) {
    ResultLine("first_call", "ringside", name).print(metric, unit, spread_of(values));
  };
  print("init", "call", "us", init);
  print("thread", "call", "us", first);
  print("second", "call", "us", second);
  print("first_lap_worst", "call", "us", worst);
  print("first_lap", "per_call", "ns", rest);
  print("after_fork", "call", "us", after_fork);
  print("thread", "kernel", "us", bare);
  print("after_fork", "kernel", "us", bare_after_fork);
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
