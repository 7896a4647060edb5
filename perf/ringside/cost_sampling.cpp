// Cost of sampling the cost of about one in N log calls: processes with sampling and processes
// without it take turns, each as a ratio to the floor.

#include <cstdio>
#include <exception>
#include <unistd.h>
#include <vector>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/isolated_run.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

struct Cost {
  double ratio = 0;  // to the floor
  double ns = 0;     // per call
};

// Runs the log calls in a separate process. The result comes through a pipe, because a child
// returns only a status.
template <Case C>
int cost_in_child(const RunOptions& options, std::uint32_t sampling, Cost* cost) {
  int ends[2];
  if (pipe(ends) != 0) return kExitNotPossible;
  const int status = in_child_process([&] {
    ringside::Options library;
    library.cost_sampling = sampling;
    TracedRun run("/dev/shm", library);
    if (run.ready() != kExitOk) return run.ready();
    BurstPlan plan;
    plan.pairs = options.scaled(plan.pairs);
    const BurstResult result = paired_bursts<RingsideSubject, C>(plan);
    const Cost found{spread_of(result.ratio).median, spread_of(result.subject_ns).median};
    if (write(ends[1], &found, sizeof found) != sizeof found) return kExitDoesNotCount;
    return run.finish();
  });
  close(ends[1]);
  const bool read_all = read(ends[0], cost, sizeof *cost) == sizeof *cost;
  close(ends[0]);
  return status == kExitOk && !read_all ? kExitDoesNotCount : status;
}

template <Case C>
int measure(const RunOptions& options, std::uint32_t sampling) {
  if (!options.wants_case(C)) return kExitOk;
  std::vector<double> ratios;
  std::vector<double> ns;
  for (int i = 0; i < 4 * options.repeats_or_one(); ++i) {
    Cost without;
    Cost with;
    for (int turn = 0; turn < 2; ++turn) {
      const bool measures = turn != i % 2;
      const int status =
          cost_in_child<C>(options, measures ? sampling : 0, measures ? &with : &without);
      if (status != kExitOk) return status;
    }
    ratios.push_back(with.ratio / without.ratio);
    ns.push_back(with.ns);
  }
  const auto line = [sampling] {
    return ResultLine("cost_sampling", RingsideSubject::kName, name_of(C))
        .with("one_in", std::int64_t{sampling});
  };
  line().print("call", "ns", spread_of(ns));
  line().print("ratio_to_not_measuring", "x", spread_of(ratios));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row cost_sampling of Ringside.", &exit_code);
  if (!options) return exit_code;
  for (const auto& run :
       {measure<Case::static_text>, measure<Case::two_integers>, measure<Case::string39>}) {
    for (const std::uint32_t sampling : {1024U, 8192U}) {
      if (const int status = run(*options, sampling); status != kExitOk) return status;
    }
  }
  return kExitOk;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
