// Cost of a log call with a level, a text or a format that is only known at run time, as a ratio to
// RS_INFO with the same values: both take turns, each as a ratio to the floor.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <ringside/runtime_format.hpp>
#include <ringside/text.hpp>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

volatile int g_level = RS_LEVEL_INFO;
volatile int g_low_level = RS_LEVEL_TRACE;
const std::string g_text = "twenty bytes of text";
std::string g_printf = "printf format %d";  // NOLINT(cert-err58-cpp)
std::string g_brace = "brace format {}";    // NOLINT(cert-err58-cpp)
std::string g_invalid = "invalid %s";       // NOLINT(cert-err58-cpp)

#define SUBJECT(name_, what_, statement_)                        \
  struct name_ {                                                 \
    static constexpr const char* kName = RingsideSubject::kName; \
    static constexpr const char* kWhat = what_;                  \
    template <Case C>                                            \
    [[gnu::always_inline]] static void call(int i) {             \
      static_cast<void>(i);                                      \
      statement_;                                                \
    }                                                            \
    static void settle() { RingsideSubject::settle(); }          \
  }
SUBJECT(Integer, "integer", RS_INFO("integer %d", i));
SUBJECT(Text, "string", RS_INFO("%s", g_text));
SUBJECT(RunTimeLevel, "level", RS_LOG(static_cast<rs_level>(g_level), "integer %d", i));
SUBJECT(DisabledLevel, "disabled level", RS_LOG(static_cast<rs_level>(g_low_level), "off %d", i));
SUBJECT(MadeText, "text", RS_TEXT(RS_LEVEL_INFO, g_text));
SUBJECT(PrintfFormat, "printf format", RS_LOG_RUNTIME(RS_LEVEL_INFO, g_printf, i));
SUBJECT(BraceFormat, "brace format", RS_FMT_RUNTIME(RS_LEVEL_INFO, g_brace, i));
SUBJECT(InvalidFormat, "invalid format", RS_LOG_RUNTIME(RS_LEVEL_INFO, g_invalid, i));

template <class Subject, class Base>
void measure(const RunOptions& options) {
  BurstPlan plan;
  plan.pairs = 2 * kPlacements;
  std::vector<double> ratios;
  std::vector<double> ns;
  const int rounds = options.scaled(25 * options.repeats_or_one());
  for (int i = 0; i < rounds; ++i) {
    BurstResult subject = paired_bursts<Subject, Case::integer>(plan);
    const BurstResult base = paired_bursts<Base, Case::integer>(plan);
    ratios.push_back(spread_of(subject.ratio).median / spread_of(base.ratio).median);
    ns.insert(ns.end(), subject.subject_ns.begin(), subject.subject_ns.end());
  }
  const auto line = [] {
    return ResultLine("run_time", RingsideSubject::kName, name_of(Case::integer))
        .with("known_at_run_time", Subject::kWhat)
        .with("base", Base::kWhat);
  };
  line().print("call", "ns", spread_of(ns));
  line().print("ratio_to_printf", "x", spread_of(ratios));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row run_time of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  ringside::set_level(ringside::Level::debug);
  measure<Integer, Integer>(*options);
  measure<RunTimeLevel, Integer>(*options);
  measure<DisabledLevel, Integer>(*options);
  measure<MadeText, Text>(*options);
  measure<PrintfFormat, Integer>(*options);
  measure<BraceFormat, Integer>(*options);
  measure<InvalidFormat, Integer>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
