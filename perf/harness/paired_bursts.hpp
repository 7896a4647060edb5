#pragma once
// Back-to-back calls as a ratio to the floor. The speed of a machine changes within a run, so floor
// and subject take turns burst by burst, and each pair gives one ratio.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "perf/harness/floor.hpp"
#include "perf/harness/subject.hpp"
#include "perf/harness/tsc_rate.hpp"

namespace ringside::perf {

struct BurstPlan {
  int calls = 2000;  // per burst: 16 KiB to 100 KiB of ring
  int pairs = 400;
};

struct BurstResult {  // one value per pair
  std::vector<double> ratio;
  std::vector<double> floor_ns;    // per call
  std::vector<double> subject_ns;  // per call
};

// The position of a short loop within the cache lines of its instructions changes the cost of a log
// call by up to a tenth, and in a service this position is arbitrary. So every two pairs use the
// next placement, every 64 / kPlacements bytes of a line, and the spread of the ratios includes
// this effect.
inline constexpr std::size_t kPlacements = 8;

// A separate function, so that the loop compiles to the same code for every caller.
template <Subject S, Case C, std::size_t Placement = 0>
[[gnu::noinline]] std::uint64_t burst_ticks(int calls) {
  asm volatile(".p2align 6\n\t.skip %c0 + 1, 0x90" : : "i"(64 / kPlacements * Placement));
  const std::uint64_t start = __builtin_ia32_rdtsc();
  for (int i = 0; i < calls; ++i) S::template call<C>(i);
  return __builtin_ia32_rdtsc() - start;
}

template <Subject S, Case C, std::size_t... Placements>
constexpr auto placed_bursts(std::index_sequence<Placements...>) {
  return std::array<std::uint64_t (*)(int), sizeof...(Placements)>{
      &burst_ticks<S, C, Placements>...};
}

// The core may have slept in settle(), so a burst of the floor that is not counted wakes it. The
// order within a pair alternates from pair to pair.
template <Subject S, Case C>
BurstResult paired_bursts(const BurstPlan& plan) {
  Floor floor;
  BurstResult result;
  constexpr auto kBursts = placed_bursts<S, C>(std::make_index_sequence<kPlacements>());
  for (const auto& burst : kBursts) burst(plan.calls);  // first-use costs
  const double ns_per_call = 1 / (tsc_ticks_per_ns() * plan.calls);
  for (int pair = 0; pair < plan.pairs; ++pair) {
    const auto& burst = kBursts[static_cast<std::size_t>(pair) / 2 % kPlacements];
    S::settle();
    floor.burst_ticks(plan.calls);
    std::uint64_t floor_ticks = 0;
    std::uint64_t subject_ticks = 0;
    if (pair % 2 == 0) {
      floor_ticks = floor.burst_ticks(plan.calls);
      subject_ticks = burst(plan.calls);
    } else {
      subject_ticks = burst(plan.calls);
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
