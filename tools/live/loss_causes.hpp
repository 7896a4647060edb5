#pragma once
// A segment's losses by cause, with the names used by tools and metrics.

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/live/segment_status.hpp"

namespace ringside::tool {

struct LossCount {
  std::string_view name;
  std::uint64_t count = 0;
};

// All causes, including those that never occurred, in a fixed order.
std::vector<LossCount> loss_causes(const RingStatus& ring);
std::vector<LossCount> loss_causes(const SegmentStatus& segment);  // sum over all its threads

}  // namespace ringside::tool
