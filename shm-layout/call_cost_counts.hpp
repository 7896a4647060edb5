#pragma once
// Costs of log calls (call_costs.hpp), as numbers for calculations.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "cost_buckets.hpp"

namespace ringside::shm {

// The service can write any value to its counters, and a file can contain any: sums saturate.
struct CallCostCounts {
  std::uint64_t ticks = 0;   // of all measured calls
  std::uint64_t waited = 0;  // measured calls that waited for space
  std::array<std::uint64_t, kCostBuckets> count{};

  bool operator==(const CallCostCounts&) const = default;

  // Number of measured calls.
  std::uint64_t calls() const {
    std::uint64_t all = 0;
    for (const std::uint64_t number : count) all = sum(all, number);
    return all;
  }

  void add(const CallCostCounts& other) {
    ticks = sum(ticks, other.ticks);
    waited = sum(waited, other.waited);
    for (std::size_t i = 0; i < count.size(); ++i) count[i] = sum(count[i], other.count[i]);
  }

  // The increase since `before`; 0 where a value fell.
  CallCostCounts since(const CallCostCounts& before) const {
    CallCostCounts grown;
    grown.ticks = growth(before.ticks, ticks);
    grown.waited = growth(before.waited, waited);
    for (std::size_t i = 0; i < count.size(); ++i) {
      grown.count[i] = growth(before.count[i], count[i]);
    }
    return grown;
  }

  // Takes over each value that is above the present one.
  void raise_to(const CallCostCounts& other) {
    ticks = std::max(ticks, other.ticks);
    waited = std::max(waited, other.waited);
    for (std::size_t i = 0; i < count.size(); ++i) count[i] = std::max(count[i], other.count[i]);
  }

  double mean_ticks() const {
    const std::uint64_t all = calls();
    return all != 0 ? static_cast<double>(ticks) / static_cast<double>(all) : 0;
  }

  // The cost that `permille` of the calls do not exceed, assuming an even distribution within each
  // bucket. 0 if no call was measured.
  double quantile_ticks(unsigned permille) const {
    const double wanted = static_cast<double>(calls()) * permille / 1000;
    double below = 0;
    for (std::size_t i = 0; i < count.size(); ++i) {
      const auto here = static_cast<double>(count[i]);
      if (here > 0 && below + here >= wanted) {
        const auto begin = static_cast<double>(cost_bucket_begin(i));
        const auto end = static_cast<double>(cost_bucket_begin(i + 1));
        return begin + (end - begin) * std::clamp((wanted - below) / here, 0.0, 1.0);
      }
      below += here;
    }
    return 0;
  }

  // Upper bound of all costs, except in the last bucket.
  std::uint64_t most_ticks() const {
    for (std::size_t i = count.size(); i-- > 0;) {
      if (count[i] != 0) return cost_bucket_begin(i + 1);
    }
    return 0;
  }

 private:
  static constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
  }
  static constexpr std::uint64_t growth(std::uint64_t before, std::uint64_t after) {
    return after > before ? after - before : 0;
  }
};

// 0 if the frequency is unknown.
constexpr double cost_ns(double ticks, std::uint64_t tick_hz) {
  return tick_hz != 0 ? ticks / static_cast<double>(tick_hz) * 1e9 : 0;
}

}  // namespace ringside::shm
