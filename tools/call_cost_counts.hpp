#pragma once
// What log calls cost (shm-layout/call_costs.hpp), as numbers to calculate with.

#include <array>
#include <cstdint>

#include "shm-layout/call_costs.hpp"

namespace ringside::tool {

struct CallCostCounts {
  std::uint64_t ticks = 0;   // of all calls measured
  std::uint64_t waited = 0;  // calls measured that waited for space
  std::array<std::uint64_t, shm::kCostBuckets> count{};

  std::uint64_t calls() const;  // measured
  void add(const CallCostCounts& other);
  // What was added since `before`; nothing where it is less.
  CallCostCounts since(const CallCostCounts& before) const;
  double mean_ticks() const;
  // The cost that `permille` of the calls do not exceed, as if they lay evenly in their bucket. 0
  // if none was measured.
  double quantile_ticks(unsigned permille) const;
  std::uint64_t most_ticks() const;  // no call was as dear, but for the last bucket's
};
// 0 where the frequency is unknown.
double cost_ns(double ticks, std::uint64_t tick_hz);

static_assert(sizeof(CallCostCounts) == sizeof(shm::CostCounts));

}  // namespace ringside::tool
