#pragma once
// Calls back to back as a ratio to the floor. Machines change speed within a run, so floor and
// subject take turns burst by burst and each pair gives one ratio.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "perf/harness/floor.hpp"
#include "perf/harness/subject.hpp"
#include "perf/harness/tsc_rate.hpp"

namespace ringside::perf {

struct BurstPlan {
  int calls = 2000;  // a burst: 16 KiB to 100 KiB of ring
  int pairs = 400;
};

struct BurstResult {  // one value a pair
  std::vector<double> ratio;
  std::vector<double> floor_ns;    // a call
  std::vector<double> subject_ns;  // a call
};

// Its own function, so that the loop is compiled alike whoever calls it.
template <Subject S, Case C>
[[gnu::noinline]] std::uint64_t burst_ticks(int calls) {
  const std::uint64_t start = __builtin_ia32_rdtsc();
  for (int i = 0; i < calls; ++i) S::template call<C>(i);
  return __builtin_ia32_rdtsc() - start;
}

// After settle() the core may have slept, and a burst of the floor that is not counted wakes it.
// Which of the two goes first changes from pair to pair.
template <Subject S, Case C>
BurstResult paired_bursts(const BurstPlan& plan) {
  Floor floor;
  BurstResult result;
  burst_ticks<S, C>(plan.calls);  // first-use costs
  const double ns_per_call = 1 / (tsc_ticks_per_ns() * plan.calls);
  for (int pair = 0; pair < plan.pairs; ++pair) {
    S::settle();
    floor.burst_ticks(plan.calls);
    std::uint64_t floor_ticks = 0;
    std::uint64_t subject_ticks = 0;
    if (pair % 2 == 0) {
      floor_ticks = floor.burst_ticks(plan.calls);
      subject_ticks = burst_ticks<S, C>(plan.calls);
    } else {
      subject_ticks = burst_ticks<S, C>(plan.calls);
      floor_ticks = floor.burst_ticks(plan.calls);
    }
    floor_ticks = std::max<std::uint64_t>(floor_ticks, 1);
    result.ratio.push_back(static_cast<double>(subject_ticks) / static_cast<double>(floor_ticks));
    result.floor_ns.push_back(static_cast<double>(floor_ticks) * ns_per_call);
    result.subject_ns.push_back(static_cast<double>(subject_ticks) * ns_per_call);
  }
  return result;
}

}  // namespace ringside::perf
