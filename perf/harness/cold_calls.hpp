#pragma once
// Single calls after their data and code have been evicted from the core's private caches.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "perf/harness/cache_eviction.hpp"
#include "perf/harness/single_call.hpp"
#include "perf/harness/tsc_rate.hpp"

namespace ringside::perf {

struct ColdPlan {
  int rounds = 300;
};

struct ColdResult {  // one value per round, without the clock's own cost
  std::vector<double> floor_ns;
  std::vector<double> subject_ns;
  std::vector<double> ratio;
};

// Floor and subject take turns and are treated alike. The clock's cost is the median of empty calls
// after the same eviction.
template <Subject S, Case C>
ColdResult cold_calls(const ColdPlan& plan, CacheEviction& eviction) {
  EmptyCall empty;
  FloorCall floor;
  SubjectCall<S, C> subject;
  const auto cold_ticks = [&eviction](auto& call, int i) {
    eviction.evict();
    return static_cast<double>(call.ticks(i));
  };
  std::vector<double> empty_ticks;
  std::vector<double> floor_ticks;
  std::vector<double> subject_ticks;
  subject.ticks(0);  // first-use costs
  for (int round = 0; round < plan.rounds; ++round) {
    empty_ticks.push_back(cold_ticks(empty, round));
    floor_ticks.push_back(cold_ticks(floor, round));
    subject_ticks.push_back(cold_ticks(subject, round));
  }
  std::sort(empty_ticks.begin(), empty_ticks.end());
  const double timer = empty_ticks[empty_ticks.size() / 2];
  const double ns_per_tick = 1 / tsc_ticks_per_ns();
  ColdResult result;
  for (std::size_t i = 0; i < floor_ticks.size(); ++i) {
    const double floor_net = std::max(floor_ticks[i] - timer, 1.0);
    const double subject_net = std::max(subject_ticks[i] - timer, 1.0);
    result.floor_ns.push_back(floor_net * ns_per_tick);
    result.subject_ns.push_back(subject_net * ns_per_tick);
    result.ratio.push_back(subject_net / floor_net);
  }
  return result;
}

}  // namespace ringside::perf
