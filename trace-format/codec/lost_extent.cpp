#include "trace-format/codec/lost_extent.hpp"

#include <cstdint>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {

LostExtent lost_extent(const ExtentHeader& header) {
  LostExtent block{};
  std::byte* const h = block.data() + kBlockHeaderBytes;
  store(h, header.stream_id);
  store(h + 8, header.first_sequence);
  store(h + 16, header.base_tsc);
  store(h + 24, header.base_tsc);
  store(h + 32, header.base_tsc);
  store(h + 48, header.dropped);
  store(h + 56, header.drop_cause);
  write_block_frame(block.data(), BlockType::kExtent, kExtentHeaderBytes);
  return block;
}

}  // namespace ringside::trace
