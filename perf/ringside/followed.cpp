// Time from a log call until `ringcat -f` has printed its line, while nothing else is logged.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "perf/harness/child_process.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside;
using namespace ringside::perf;
using Clock = std::chrono::steady_clock;

constexpr int kSamples = 200;  // of a repeat
constexpr auto kPatience = std::chrono::seconds(10);

// Counts the lines that a program writes to a pipe.
class LineCount {
 public:
  explicit LineCount(int fd) : fd_(fd) {}

  // False after `kPatience`, or if the program has ended.
  bool wait_for(std::uint64_t lines) {
    const auto end = Clock::now() + kPatience;
    while (lines_ < lines) {
      pollfd input{fd_, POLLIN, 0};
      if (::poll(&input, 1, 100) > 0) {
        std::array<char, 4096> buffer{};
        const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
        if (got <= 0) return false;
        for (ssize_t i = 0; i < got; ++i) lines_ += buffer[static_cast<std::size_t>(i)] == '\n';
      }
      if (Clock::now() >= end) return false;
    }
    return true;
  }

 private:
  int fd_;
  std::uint64_t lines_ = 0;
};

int measure(const RunOptions& options, TracedRun& run) {
  Pipe pipe;
  RingsideSubject::call<Case::two_integers>(0);
  flush(std::chrono::seconds(10));
  ChildProcess ringcat({.command = {RINGCAT_PATH, "-f", run.output_dir()},
                        .cpu = run.processors().measured,
                        .output = pipe.write.get()});
  pipe.write.close();
  LineCount lines(pipe.read.get());
  std::uint64_t expected = 1;
  std::array<std::vector<double>, 2> ms;  // by percentile
  // consumerd has noticed the follower after the first ones, which do not count.
  for (int repeat = -1; repeat < options.repeats_or_one(); ++repeat) {
    std::vector<double> sorted;
    for (int i = 0; i < options.scaled(kSamples); ++i) {
      // These intervals must not be in step with consumerd's own.
      std::this_thread::sleep_for(std::chrono::microseconds(1700 + 7919 * i % 30'000));
      const auto called = Clock::now();
      RingsideSubject::call<Case::two_integers>(i);
      if (!lines.wait_for(++expected)) {
        std::fprintf(stderr, "ringcat has not printed a record\n");
        return kExitDoesNotCount;
      }
      sorted.push_back(std::chrono::duration<double, std::milli>(Clock::now() - called).count());
    }
    if (repeat < 0) continue;
    std::sort(sorted.begin(), sorted.end());
    ms[0].push_back(percentile(sorted, 5000));
    ms[1].push_back(percentile(sorted, 9900));
  }
  const char* const names[] = {"p50", "p99"};
  for (std::size_t i = 0; i < ms.size(); ++i) {
    ResultLine("followed", RingsideSubject::kName, name_of(Case::two_integers))
        .with("p", names[i])
        .print("call_to_line", "ms", spread_of(ms[i]));
  }
  ringcat.terminate();
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row followed of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  const int status = measure(*options, run);
  return status == kExitOk ? run.finish() : status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
