#pragma once
// An extent without records: it only tells that there are none for some sequence numbers.

#include <array>
#include <cstddef>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::trace {

using LostExtent = std::array<std::byte, kBlockHeaderBytes + kExtentHeaderBytes>;

// A whole EXTENT block with the header's stream, numbers, time and cause.
LostExtent lost_extent(const ExtentHeader& header);

}  // namespace ringside::trace
