// Converts a trace file to text with ringcat: lines per second of wall time and per second of
// processor time (the rate of one core).

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "perf/harness/child_process.hpp"
#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/random_messages.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr int kRecords = 1'000'000;
constexpr int kRepeats = 3;

struct Spent {
  bool ok = false;
  double wall_s = 0;
  double cpu_s = 0;
};

Spent print_to_nowhere(const std::string& directory) {
  const auto from = std::chrono::steady_clock::now();
  const Descriptor nowhere = null_device();
  ChildProcess ringcat({.command = {RINGCAT_PATH, directory}, .output = nowhere.get()});
  const int status = ringcat.wait();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - from;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const rusage& usage = ringcat.usage();
  return {status == 0, wall.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

template <Case C>
int measure(const RunOptions& options) {
  if (!options.wants_case(C)) return kExitOk;
  return in_child_process([&options]() -> int {
    TracedRun run;
    if (run.ready() != kExitOk) return run.ready();
    const int records = options.scaled(kRecords);
    const RandomMessages messages;
    for (int i = 0; i < records; ++i) messages.call<C>(i);
    const int status = run.finish();
    if (status != kExitOk) return status;
    std::vector<double> by_wall;
    std::vector<double> by_cpu;
    for (int repeat = 0; repeat < (options.quick ? 1 : kRepeats); ++repeat) {
      const Spent spent = print_to_nowhere(run.output_dir());
      if (!spent.ok) {
        std::fprintf(stderr, "ringcat failed\n");
        return kExitDoesNotCount;
      }
      by_wall.push_back(records / spent.wall_s / 1e6);
      by_cpu.push_back(records / spent.cpu_s / 1e6);
    }
    const auto line = [] {
      ResultLine of("text", "ringside", name_of(C));
      of.with("arguments", "random");
      return of;
    };
    line().print("wall", "M lines/s", spread_of(by_wall, Better::higher));
    line().print("one_core", "M lines/s", spread_of(by_cpu, Better::higher));
    return kExitOk;
  });
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row text of Ringside.", &exit_code);
  if (!options) return exit_code;
  for (const auto& one :
       {measure<Case::static_text>, measure<Case::string39>, measure<Case::integer>,
        measure<Case::two_integers>, measure<Case::floating>, measure<Case::five_arguments>}) {
    const int status = one(*options);
    if (status != kExitOk) return status;
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
