#pragma once
// What a segment has counted over all its threads since its service began, as blocks of a trace.

#include <cstdint>

#include "tools/live/segment_image.hpp"
#include "trace-format/blocks/call_costs_block.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::tool {

// Records lost without a ring: a consumer may have reported some of them.
trace::LossesBlock salvaged_losses(const ControlWords& control, std::uint64_t since_tsc,
                                   std::uint64_t until_tsc);

// What log calls took. `one_in` is 0 if the service did not measure them.
trace::CallCostsBlock salvaged_call_costs(const SegmentImage& image, std::uint32_t rings,
                                          std::uint64_t until_tsc);

}  // namespace ringside::tool
