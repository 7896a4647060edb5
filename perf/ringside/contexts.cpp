// A log call within a context, one for which the context changes, and one for which a task is
// entered and left, as ratios to the floor.

#include <cstdio>
#include <exception>

#include <ringside/context.hpp>
#include <ringside/log.hpp>
#include <ringside/task.hpp>

#include "perf/harness/messages.hpp"
#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

struct InContext {
  static constexpr const char* kName = RingsideSubject::kName;

  template <Case C>
  [[gnu::always_inline]] static void call(int i) {
    RingsideSubject::call<C>(i);
  }
  static void settle() { RingsideSubject::settle(); }
};

struct ChangedContext {
  static constexpr const char* kName = RingsideSubject::kName;

  template <Case C>
  [[gnu::always_inline]] static void call(int i) {
    const ringside::Context context{{"user", i}};
    RingsideSubject::call<C>(i);
  }
  static void settle() { RingsideSubject::settle(); }
};

struct InAnotherTask {
  static constexpr const char* kName = RingsideSubject::kName;

  template <Case C>
  [[gnu::always_inline]] static void call(int i) {
    static const ringside::Task task("request");
    const ringside::Task::Scope in_task(task);
    RingsideSubject::call<C>(i);
  }
  static void settle() { RingsideSubject::settle(); }
};

template <class Subject>
void measure(const RunOptions& options, const char* metric_ns, const char* metric_ratio) {
  BurstPlan plan;
  plan.pairs = options.scaled(20 * static_cast<int>(kPlacements) * options.repeats);
  const BurstResult result = paired_bursts<Subject, Case::static_text>(plan);
  const auto line = [] {
    return ResultLine("contexts", RingsideSubject::kName, name_of(Case::static_text));
  };
  line().print(metric_ns, "ns", spread_of(result.subject_ns));
  line().print(metric_ratio, "x", spread_of(result.ratio));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row contexts of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  if (options->wants_case(Case::static_text)) {
    {
      const ringside::Context context{{"user", 7}};
      measure<InContext>(*options, "call", "ratio_to_floor");
    }
    measure<ChangedContext>(*options, "changed", "changed_to_floor");
    measure<InAnotherTask>(*options, "task", "task_to_floor");
  }
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
