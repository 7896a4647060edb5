// A span that begins and ends at once, as a ratio to the floor: two readings of the clock and one
// record, or two with RS_OPEN_SPAN. Its values are those of the log calls.

#include <cstdio>
#include <exception>
#include <vector>

#include <ringside/span.hpp>

#include "perf/harness/messages.hpp"
#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

struct SpanSubject {
  static constexpr const char* kName = RingsideSubject::kName;

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_SPAN("collect");
    } else if constexpr (C == Case::string39) {
      RS_SPAN("open_session", RS_NAMED("coordinator", string39()));
    } else if constexpr (C == Case::integer) {
      RS_SPAN("measure_storage", RS_NAMED("mb_per_s", integer()));
    } else {
      RS_SPAN("create_buffers", RS_NAMED("receive", five_first()), RS_NAMED("mb", five_second()),
              RS_NAMED("transmit", five_third()), RS_NAMED("sent_mb", five_fourth()),
              RS_NAMED("ms", five_fifth()));
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

struct OpenSpanSubject {
  static constexpr const char* kName = RingsideSubject::kName;

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    if constexpr (C == Case::static_text) {
      RS_OPEN_SPAN("collect");
    } else {
      static_assert(C == Case::integer);
      RS_OPEN_SPAN("measure_storage", RS_NAMED("mb_per_s", integer()));
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

template <typename Subject, Case C>
void measure(const RunOptions& options, const char* metric_ns, const char* metric_ratio) {
  if (!options.wants_case(C)) return;
  BurstPlan plan;
  plan.pairs = options.scaled(20 * static_cast<int>(kPlacements) * options.repeats);
  const BurstResult result = paired_bursts<Subject, C>(plan);
  const auto line = [] { return ResultLine("spans", RingsideSubject::kName, name_of(C)); };
  line().print(metric_ns, "ns", spread_of(result.subject_ns));
  line().print(metric_ratio, "x", spread_of(result.ratio));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row spans of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure<SpanSubject, Case::static_text>(*options, "call", "ratio_to_floor");
  measure<SpanSubject, Case::integer>(*options, "call", "ratio_to_floor");
  measure<SpanSubject, Case::five_arguments>(*options, "call", "ratio_to_floor");
  measure<SpanSubject, Case::string39>(*options, "call", "ratio_to_floor");
  measure<OpenSpanSubject, Case::static_text>(*options, "two_records", "two_records_to_floor");
  measure<OpenSpanSubject, Case::integer>(*options, "two_records", "two_records_to_floor");
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
