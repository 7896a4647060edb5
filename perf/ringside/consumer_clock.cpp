// Cost of log calls that read no clock, back to back, in turns with the floor: those whose time the
// consumer sets, and those that take the time of a Burst.

#include <cstdio>
#include <exception>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

template <class Subject, Case C>
void measure(const RunOptions& options, const char* row) {
  if (!options.wants_case(C)) return;
  BurstPlan plan;
  plan.pairs = options.scaled(plan.pairs * options.repeats);
  const BurstResult result = paired_bursts<Subject, C>(plan);
  const auto line = [row] { return ResultLine(row, Subject::kName, name_of(C)); };
  line().print("call", "ns", spread_of(result.subject_ns));
  line().print("ratio_to_floor", "x",
               ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
}

template <class Subject>
void measure_all(const RunOptions& options, const char* row) {
  if (!options.wants_row(row)) return;
  measure<Subject, Case::static_text>(options, row);
  measure<Subject, Case::string39>(options, row);
  measure<Subject, Case::integer>(options, row);
  measure<Subject, Case::two_integers>(options, row);
  measure<Subject, Case::floating>(options, row);
  measure<Subject, Case::five_arguments>(options, row);
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(
      argc, argv, "Rows consumer_clock and shared_stamp of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure_all<UndatedSubject>(*options, "consumer_clock");
  measure_all<BurstSubject>(*options, "shared_stamp");
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
