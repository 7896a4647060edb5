#pragma once
// Whether a statement is executed more or less often than in another trace.

#include <cstdint>
#include <vector>

#include "tools/report/time_grid.hpp"

namespace ringside::tool {

// Batches of equal length in two traces: 32 in the longer one, at least 8 in the shorter one if the
// grids are fine enough.
struct RateBatches {
  std::uint64_t length_ns = 0;
  std::size_t before = 0;  // whole batches
  std::size_t after = 0;
};
RateBatches rate_batches(const TimeGrid& before, std::uint64_t before_ns, const TimeGrid& after,
                         std::uint64_t after_ns);

// Records of each whole batch. `counts`: by interval of `grid`.
std::vector<double> batch_counts(const std::array<std::uint32_t, TimeGrid::kIntervals>& counts,
                                 const TimeGrid& grid, std::uint64_t length_ns,
                                 std::size_t batches);

struct RateRatio {
  double ratio = 1;         // after / before
  std::size_t batches = 0;  // in which the statement occurs, in the trace with fewer ones
};

// The middle one of the ratios of statements, each with the weight of its batches: by how much the
// load differs. 1 if there are fewer than three.
double common_rate_ratio(std::vector<RateRatio> ratios);

}  // namespace ringside::tool
