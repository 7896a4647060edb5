// Cost of an execution that a gate suppresses, and of one that passes no gate and is recorded, in
// turns with the floor.

#include <cstdio>
#include <exception>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

constexpr int kManyExecutions = 2'000'000'000;
constexpr int kDayMs = 86'400'000;
volatile int g_never = 0;

// A subject whose statement has a gate, or none.
#define SUBJECT(name_, gate_, statement_)                        \
  struct name_ {                                                 \
    static constexpr const char* kName = RingsideSubject::kName; \
    static constexpr const char* kGate = gate_;                  \
    template <Case C>                                            \
    [[gnu::always_inline]] static void call(int i) {             \
      statement_;                                                \
    }                                                            \
    static void settle() { RingsideSubject::settle(); }          \
  }
SUBJECT(Recorded, "none", RS_INFO("no gate %d", i));
SUBJECT(If, "RS_IF", RS_IF(g_never, RS_INFO("if %d", i)));
SUBJECT(EveryN, "RS_EVERY_N", RS_EVERY_N(kManyExecutions, RS_INFO("every n %d", i)));
SUBJECT(FirstN, "RS_FIRST_N", RS_FIRST_N(10, RS_INFO("first n %d", i)));
SUBJECT(Once, "RS_ONCE", RS_ONCE(RS_INFO("once %d", i)));
SUBJECT(EveryMs, "RS_EVERY_MS", RS_EVERY_MS(kDayMs, RS_INFO("every ms %d", i)));

template <class Subject>
void measure(const RunOptions& options) {
  BurstPlan plan;
  plan.pairs = options.scaled(plan.pairs * options.repeats_or_one());
  const BurstResult result = paired_bursts<Subject, Case::integer>(plan);
  const auto line = [] {
    return ResultLine("gates", RingsideSubject::kName, name_of(Case::integer))
        .with("gate", Subject::kGate);
  };
  line().print("call", "ns", spread_of(result.subject_ns));
  line().print("ratio_to_floor", "x",
               ratio_spread(result.ratio, result.subject_ns, result.floor_ns));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row gates of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure<Recorded>(*options);
  measure<If>(*options);
  measure<EveryN>(*options);
  measure<FirstN>(*options);
  measure<Once>(*options);
  measure<EveryMs>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
