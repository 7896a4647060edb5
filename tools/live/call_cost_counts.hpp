#pragma once
// Costs of log calls (shm-layout/call_costs.hpp), as numbers for calculations.

#include <array>
#include <cstdint>

#include "shm-layout/call_costs.hpp"

namespace ringside::tool {

struct CallCostCounts {
  std::uint64_t ticks = 0;   // of all measured calls
  std::uint64_t waited = 0;  // measured calls that waited for space
  std::array<std::uint64_t, shm::kCostBuckets> count{};

  std::uint64_t calls() const;  // number of measured calls
  void add(const CallCostCounts& other);
  // The increase since `before`; 0 where a value fell.
  CallCostCounts since(const CallCostCounts& before) const;
  double mean_ticks() const;
  // The cost that `permille` of the calls do not exceed, assuming an even distribution within each
  // bucket. 0 if no call was measured.
  double quantile_ticks(unsigned permille) const;
  std::uint64_t most_ticks() const;  // upper bound of all costs, except in the last bucket
};
// 0 if the frequency is unknown.
double cost_ns(double ticks, std::uint64_t tick_hz);

static_assert(sizeof(CallCostCounts) == sizeof(shm::CostCounts));

}  // namespace ringside::tool
