// Ends sections with an INDEX block that agrees with their blocks.
#pragma once

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {

// Contents of an INDEX block; offsets from the section's first byte.
struct IndexFields {
  std::uint64_t offset = 0;
  std::uint64_t min_tsc = ~std::uint64_t{0};
  std::uint64_t max_tsc = 0;
  std::vector<std::uint64_t> metadata;
  std::vector<LateExtent> late;
  std::vector<TimePoint> points;
};

inline void append_block(Bytes& bytes, BlockType type, const Bytes& payload) {
  const std::size_t at = bytes.size();
  bytes.resize(at + kBlockHeaderBytes + payload.size());
  std::copy(payload.begin(), payload.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(at + kBlockHeaderBytes));
  write_block_frame(bytes.data() + at, type, payload.size());
}

inline void append_u64(Bytes& bytes, std::uint64_t value) {
  bytes.resize(bytes.size() + 8);
  store(bytes.data() + bytes.size() - 8, value);
}

// Appends INDEX and END.
inline void append_index(Bytes& bytes, const IndexFields& index) {
  Bytes payload;
  append_u64(payload, index.offset);
  append_u64(payload, index.min_tsc);
  append_u64(payload, index.max_tsc);
  append_u64(payload, index.metadata.size() | std::uint64_t{index.late.size()} << 32);
  append_u64(payload, index.points.size());
  for (const std::uint64_t offset : index.metadata) append_u64(payload, offset);
  for (const LateExtent& extent : index.late) {
    append_u64(payload, extent.min_tsc);
    append_u64(payload, extent.offset);
  }
  for (const TimePoint& point : index.points) {
    append_u64(payload, point.offset);
    append_u64(payload, point.watermark);
    append_u64(payload, point.max_tsc_before);
  }
  append_block(bytes, BlockType::kIndex, payload);
  Bytes end(24);
  append_u64(end, kBlockHeaderBytes + payload.size());
  append_block(bytes, BlockType::kEnd, end);
}

// The index of the section in `bytes`, which has no END.
inline IndexFields index_of(const Bytes& bytes) {
  IndexFields index;
  index.offset = bytes.size();
  const auto file = TraceFile::in_memory("section", bytes);
  BlockReader blocks(*file, 0, bytes.size(), nullptr);
  Block block;
  while (blocks.next(block)) {
    ExtentHeader header;
    switch (block.frame.type) {
      case BlockType::kClock:
      case BlockType::kDictionary:
      case BlockType::kStream:
        index.metadata.push_back(block.offset);
        break;
      case BlockType::kExtent:
        EXPECT_TRUE(ExtentHeader::parse(block.payload, header));
        index.min_tsc = std::min(index.min_tsc, header.min_tsc);
        index.max_tsc = std::max(index.max_tsc, header.max_tsc);
        if ((header.flags & kExtentLate) != 0) index.late.push_back({header.min_tsc, block.offset});
        break;
      case BlockType::kSequencePoint: {
        TimePoint point{block.offset, 0, index.max_tsc};
        EXPECT_TRUE(parse_watermark(block.payload, point.watermark));
        index.points.push_back(point);
        break;
      }
      default:
        break;
    }
  }
  return index;
}

inline Bytes with_index(const Bytes& section) {
  Bytes bytes = section;
  append_index(bytes, index_of(section));
  return bytes;
}

inline ReadResult read_bytes(const std::vector<Bytes>& files, ReadOptions options = {}) {
  std::vector<std::unique_ptr<TraceFile>> sources;
  for (const Bytes& bytes : files) {
    sources.push_back(TraceFile::in_memory(std::to_string(sources.size()), bytes));
  }
  ReadError error;
  return read_events(TraceSet::open(std::move(sources), std::move(options), &error), error);
}

}  // namespace ringside::trace::testing
