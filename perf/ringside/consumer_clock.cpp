// Cost of log calls that read no clock, back to back, in turns with the floor.

#include <cstdio>
#include <exception>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

template <Case C>
void measure(const RunOptions& options) {
  if (!options.wants_case(C)) return;
  BurstPlan plan;
  plan.pairs = options.scaled(plan.pairs * options.repeats);
  const BurstResult result = paired_bursts<UndatedSubject, C>(plan);
  const auto line = [] { return ResultLine("consumer_clock", UndatedSubject::kName, name_of(C)); };
  line().print("call", "ns", spread_of(result.subject_ns));
  line().print("ratio_to_floor", "x",
               ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row consumer_clock of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure<Case::static_text>(*options);
  measure<Case::string39>(*options);
  measure<Case::integer>(*options);
  measure<Case::two_integers>(*options);
  measure<Case::floating>(*options);
  measure<Case::five_arguments>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
