#pragma once
// Durations of a service's log calls, in a few buckets of seconds: for monitoring.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "consumerd/metrics/saturating_sum.hpp"

namespace ringside::consumer {

struct CallTimes {
  static constexpr std::array<double, 15> kBoundsS{1e-8, 2e-8, 5e-8, 1e-7, 2e-7, 5e-7, 1e-6, 2e-6,
                                                   5e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1,  1};

  bool measured = false;  // whether the service measures any
  // Calls of at most kBoundsS[i]; the last entry, [kBoundsS.size()], counts longer calls.
  std::array<std::uint64_t, kBoundsS.size() + 1> counts{};
  double sum_s = 0;

  void keep_growing(const CallTimes& before) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = std::max(counts[i], before.counts[i]);
    }
    sum_s = std::max(sum_s, before.sum_s);
  }

  void add_growth(const CallTimes& before, const CallTimes& now) {
    measured = measured || now.measured;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = saturating_sum(counts[i], now.counts[i] - before.counts[i]);
    }
    sum_s += now.sum_s - before.sum_s;
  }
};

}  // namespace ringside::consumer
