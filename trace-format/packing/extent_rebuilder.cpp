#include "trace-format/packing/extent_rebuilder.hpp"

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {

std::span<const std::byte> ExtentRebuilder::rebuild(std::span<const std::byte> ring,
                                                    const ExtentHeadValues& head) {
  constexpr std::size_t kRoom = 4096;
  constexpr std::size_t kFront = kBlockHeaderBytes + kExtentHeaderBytes;
  if (block_.size() < 2 * ring.size() + kRoom) block_.resize(2 * ring.size() + kRoom);
  std::byte* const fields = block_.data() + kBlockHeaderBytes;
  std::size_t block_bytes = kFront;
  std::uint32_t records_bytes = 0;
  if (head.records() != 0) {
    StreamCursor cursor;
    cursor.last_tsc = head.base();
    const EncodeResult result = encoder_.encode(ring, cursor, 0, 0, block_);
    if (result.stop != EncodeStop::kInputEnd || result.records != head.records() ||
        result.dropped != 0 || result.output_bytes < kFront) {
      return {};
    }
    block_bytes = result.output_bytes;
    records_bytes = load<std::uint32_t>(fields + 60);
    for (std::size_t at = kFront + records_bytes; at < block_bytes; at += 4) {
      store(block_.data() + at, sites_.id(load<std::uint32_t>(block_.data() + at)));
    }
  } else if (!ring.empty()) {
    return {};
  }
  head.write(fields);
  store(fields + 60, records_bytes);
  write_block_frame(block_.data(), BlockType::kExtent, block_bytes - kBlockHeaderBytes);
  return std::span<const std::byte>(block_).first(block_bytes);
}

}  // namespace ringside::trace
