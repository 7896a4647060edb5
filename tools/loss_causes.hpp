#pragma once
// Losses as a segment counts them, by cause, with the names that tools and metrics give them.

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/segment_status.hpp"

namespace ringside::tool {

struct LossCount {
  std::string_view name;
  std::uint64_t count = 0;
};

// All causes that there are, those that never happened too, in an order that never changes.
std::vector<LossCount> loss_causes(const RingStatus& ring);
std::vector<LossCount> loss_causes(const SegmentStatus& segment);  // of all its threads

}  // namespace ringside::tool
