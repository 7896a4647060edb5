#pragma once
// The distribution of single calls at one call per 600 ns.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "perf/harness/single_call.hpp"
#include "perf/harness/spread.hpp"
#include "perf/harness/tsc_rate.hpp"

namespace ringside::perf {

struct Percentile {
  const char* name;
  std::size_t permyriad;
};
inline constexpr std::array kPercentiles{Percentile{"p50", 5000},    Percentile{"p90", 9000},
                                         Percentile{"p99", 9900},    Percentile{"p99.9", 9990},
                                         Percentile{"p99.99", 9999}, Percentile{"max", 10000}};

struct PacedPlan {
  int block = 5000;  // calls of one kind in a row
  int warm_up = 50;  // calls before them that do not count: the calls before were of another kind
  int blocks = 40;   // of each kind per repeat
  int repeats = 5;   // each has its own percentiles
  double pace_ns = 600;
};

// Nanoseconds without the clock's own cost, [percentile][repeat], and the clock's own cost.
struct PacedResult {
  std::array<std::vector<double>, kPercentiles.size()> floor_ns;
  std::array<std::vector<double>, kPercentiles.size()> subject_ns;
  std::array<std::vector<double>, kPercentiles.size()> ratio;
  std::vector<double> timer_ns;
};

template <class Call>
void paced_block(Call& call, const PacedPlan& plan, std::vector<std::uint64_t>& ticks) {
  const auto pace = static_cast<std::uint64_t>(plan.pace_ns * tsc_ticks_per_ns());
  std::uint64_t due = __builtin_ia32_rdtsc();
  for (int i = -plan.warm_up; i < plan.block; ++i) {
    // A late call does not shorten the interval to the next ones.
    std::uint64_t now = __builtin_ia32_rdtsc();
    while (now < due) now = __builtin_ia32_rdtsc();
    due = now + pace;
    const std::uint64_t spent = call.ticks(i);
    if (i >= 0) ticks.push_back(spent);
  }
}

// The empty call, the floor and the subject take turns block by block, so that each runs under the
// same conditions. The median of the empty call is subtracted from all values of the repeat.
template <Subject S, Case C>
PacedResult paced_calls(const PacedPlan& plan) {
  EmptyCall empty;
  FloorCall floor;
  SubjectCall<S, C> subject;
  PacedResult result;
  const double ns_per_tick = 1 / tsc_ticks_per_ns();
  std::vector<std::uint64_t> empty_ticks;
  std::vector<std::uint64_t> floor_ticks;
  std::vector<std::uint64_t> subject_ticks;
  const auto calls = static_cast<std::size_t>(plan.block) * static_cast<std::size_t>(plan.blocks);
  for (auto* ticks : {&empty_ticks, &floor_ticks, &subject_ticks}) ticks->reserve(calls);
  for (int i = 0; i < plan.block; ++i) subject.ticks(i);  // first-use costs
  for (int repeat = 0; repeat < plan.repeats; ++repeat) {
    for (auto* ticks : {&empty_ticks, &floor_ticks, &subject_ticks}) ticks->clear();
    for (int block = 0; block < plan.blocks; ++block) {
      paced_block(empty, plan, empty_ticks);
      paced_block(floor, plan, floor_ticks);
      paced_block(subject, plan, subject_ticks);
    }
    for (auto* ticks : {&empty_ticks, &floor_ticks, &subject_ticks}) {
      std::sort(ticks->begin(), ticks->end());
    }
    const std::uint64_t timer = percentile(empty_ticks, 5000);
    result.timer_ns.push_back(static_cast<double>(timer) * ns_per_tick);
    for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
      const auto net = [&](const std::vector<std::uint64_t>& sorted) {
        const std::uint64_t value = percentile(sorted, kPercentiles[p].permyriad);
        return value > timer ? static_cast<double>(value - timer) : 1.0;
      };
      const double floor_net = net(floor_ticks);
      const double subject_net = net(subject_ticks);
      result.floor_ns[p].push_back(floor_net * ns_per_tick);
      result.subject_ns[p].push_back(subject_net * ns_per_tick);
      result.ratio[p].push_back(subject_net / floor_net);
    }
  }
  return result;
}

}  // namespace ringside::perf
