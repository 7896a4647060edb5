#include "trace-format/blocks/index_block.hpp"

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {

std::size_t index_block_bytes(const IndexTables& tables) {
  return kBlockHeaderBytes + kIndexFixedBytes + tables.metadata.size() * sizeof(std::uint64_t) +
         tables.late.size() * kIndexedExtentBytes + tables.points.size() * kIndexedPointBytes;
}

std::size_t write_index_block(std::uint64_t offset, const IndexTables& tables,
                              std::span<std::byte> out) {
  const std::size_t bytes = index_block_bytes(tables);
  if (bytes > out.size() || bytes - kBlockHeaderBytes > kMaxPayloadBytes) return 0;
  std::byte* p = out.data() + kBlockHeaderBytes;
  store(p, offset);
  store(p + 8, tables.smallest_tsc);
  store(p + 16, tables.largest_tsc);
  store(p + 24, static_cast<std::uint32_t>(tables.metadata.size()));
  store(p + 28, static_cast<std::uint32_t>(tables.late.size()));
  store(p + 32, static_cast<std::uint32_t>(tables.points.size()));
  store(p + 36, std::uint32_t{0});
  p += kIndexFixedBytes;
  for (const std::uint64_t metadata : tables.metadata) {
    store(p, metadata);
    p += sizeof metadata;
  }
  for (const IndexedExtent& extent : tables.late) {
    store(p, extent.smallest_tsc);
    store(p + 8, extent.offset);
    p += kIndexedExtentBytes;
  }
  for (const IndexedPoint& point : tables.points) {
    store(p, point.offset);
    store(p + 8, point.watermark_tsc);
    store(p + 16, point.largest_tsc_before);
    p += kIndexedPointBytes;
  }
  write_block_frame(out.data(), BlockType::kIndex, bytes - kBlockHeaderBytes);
  return bytes;
}

}  // namespace ringside::trace
