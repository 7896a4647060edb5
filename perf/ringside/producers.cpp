// Cost of a log call when 1 to N threads log at the same time: each thread takes turns with its own
// floor. Threads in excess of the processors that consumerd leaves share all of them; the pairs in
// which a thread switch falls are those far from the median.

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "perf/harness/paired_bursts.hpp"
#include "perf/harness/processors.hpp"
#include "perf/harness/result_line.hpp"
#include "perf/harness/run_options.hpp"
#include "perf/ringside/ringside_subject.hpp"
#include "perf/ringside/traced_run.hpp"

namespace {

using namespace ringside::perf;

template <Case C>
void measure(int producers, const BurstPlan& plan) {
  const std::vector<int> processors = allowed_processors();
  std::vector<BurstResult> results(static_cast<std::size_t>(producers));
  std::barrier together(producers);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      // From the last processor down; consumerd is pinned to the second one.
      pin_to(processors[processors.size() - 1 - i % processors.size()]);
      ringside::preallocate();
      together.arrive_and_wait();
      results[i] = paired_bursts<RingsideSubject, C>(plan);
    });
  }
  for (std::thread& thread : threads) thread.join();
  BurstResult all;
  for (const BurstResult& one : results) {
    all.ratio.insert(all.ratio.end(), one.ratio.begin(), one.ratio.end());
    all.floor_ns.insert(all.floor_ns.end(), one.floor_ns.begin(), one.floor_ns.end());
    all.subject_ns.insert(all.subject_ns.end(), one.subject_ns.begin(), one.subject_ns.end());
  }
  const auto line = [&] {
    ResultLine of("producers", RingsideSubject::kName, name_of(C));
    of.with("producers", static_cast<std::int64_t>(producers));
    return of;
  };
  line().print("ratio_to_floor", "x", ratio_spread(all.ratio, all.subject_ns, all.floor_ns));
  line().print("call", "ns", spread_of(all.subject_ns));
  line().print("floor", "ns", spread_of(all.floor_ns));
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = kExitOk;
  const auto options = parse_run_options(argc, argv, "Row producers of Ringside.", &exit_code);
  if (!options) return exit_code;
  TracedRun run;
  if (run.ready() != kExitOk) return run.ready();
  BurstPlan plan;
  plan.pairs = options->scaled(plan.pairs);
  const int most = std::max(4, static_cast<int>(std::thread::hardware_concurrency()));
  for (int producers = 1; producers <= most; producers *= 2) {
    if (options->wants_case(Case::static_text)) measure<Case::static_text>(producers, plan);
    if (options->wants_case(Case::two_integers)) measure<Case::two_integers>(producers, plan);
  }
  return run.finish();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return ringside::perf::kExitDoesNotCount;
}
