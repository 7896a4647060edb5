// Log calls that do not read the clock, back to back: the consumer stamps their records.

#include <ringside/ringside.hpp>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/harness/spread.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

struct ConsumerClockSubject {
  static constexpr const char* kName = "ringside";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "Starting backup replica garbage collector thread");
    } else if constexpr (C == Case::integer) {
      RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "Backup storage speeds (min): %d MB/s read", integer());
    } else if constexpr (C == Case::two_integers) {
      RS_LOG_CONSUMER_CLOCK(
          RS_LEVEL_INFO,
          "Buffer has consumed %u bytes of extra storage, current allocation: %u bytes",
          two_integers_first(), two_integers_second());
    }
  }

  static void settle() { RingsideSubject::settle(); }
};

template <Case C>
void measure(const RunOptions& options, const BurstPlan& plan) {
  if (!options.wants_case(C)) return;
  const BurstResult result = paired_bursts<ConsumerClockSubject, C>(plan);
  ResultLine("consumer_clock", "ringside", name_of(C))
      .print("ratio_to_floor", "x", ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
  ResultLine("consumer_clock", "ringside", name_of(C))
      .print("call", "ns", spread_of(result.subject_ns));
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = kExitOk;
  const auto options = parse_run_options(
      argc, argv, "Row consumer_clock: log calls that do not read the clock.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  BurstPlan plan;
  plan.pairs = options->scaled(plan.pairs * options->repeats);
  measure<Case::static_text>(*options, plan);
  measure<Case::integer>(*options, plan);
  measure<Case::two_integers>(*options, plan);
  return run.finish();
}
