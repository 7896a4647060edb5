// Cost of the same log calls compiled as C and as C++, in functions of their own, back to back, in
// turns with each other.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "perf/harness/messages.hpp"
#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/c_calls.h"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

struct InCpp {
  static const perf_c_calls& calls() { return perf_calls_in_cpp; }
};
struct InC {
  static const perf_c_calls& calls() { return perf_calls_in_c; }
};

template <class Language>
struct CallsOf {
  static constexpr const char* kName = "ringside";

  template <Case C>
  [[gnu::always_inline]] static void call(int /*i*/) {
    const perf_c_calls& calls = Language::calls();
    if constexpr (C == Case::static_text) {
      calls.static_text();
    } else if constexpr (C == Case::two_integers) {
      calls.two_integers(two_integers_first(), two_integers_second());
    } else {
      calls.five_arguments(five_first(), five_second(), string39(), five_fourth(), five_fifth());
    }
  }
  static void settle() { RingsideSubject::settle(); }
};

template <Case C>
void measure(const RunOptions& options) {
  if (!options.wants_case(C)) return;
  BurstPlan plan;
  plan.pairs = options.scaled(plan.pairs * options.repeats);
  std::vector<double> ratio;
  std::vector<double> ns[2];
  for (int i = 0; i < 10; ++i) {
    BurstPlan part = plan;
    part.pairs = std::max(plan.pairs / 10, 2);
    const BurstResult cpp = paired_bursts<CallsOf<InCpp>, C>(part);
    const BurstResult c = paired_bursts<CallsOf<InC>, C>(part);
    ns[0].insert(ns[0].end(), cpp.subject_ns.begin(), cpp.subject_ns.end());
    ns[1].insert(ns[1].end(), c.subject_ns.begin(), c.subject_ns.end());
    for (std::size_t k = 0; k < c.ratio.size(); ++k) ratio.push_back(c.ratio[k] / cpp.ratio[k]);
  }
  const auto line = [](const char* language) {
    ResultLine result("c_front_end", "ringside", name_of(C));
    result.with("language", language);
    return result;
  };
  line("c++").print("call", "ns", spread_of(ns[0]));
  line("c").print("call", "ns", spread_of(ns[1]));
  line("c").print("ratio_to_cpp", "x", ratio_spread(ratio, ns[1], ns[0]));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row c_front_end of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  measure<Case::static_text>(*options);
  measure<Case::two_integers>(*options);
  measure<Case::five_arguments>(*options);
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
