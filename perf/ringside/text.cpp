// Converts a trace file to text with ringcat: lines per second of wall time and per second of
// processor time (the rate of one core).

#include <cstdio>
#include <exception>
#include <vector>

#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/random_messages.hpp"
#include "perf/ringside/timed_command.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr int kRecords = 1'000'000;
constexpr int kRepeats = 3;

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
      const CommandTime spent = time_command({RINGCAT_PATH, run.output_dir()});
      if (spent.status != 0) {
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
