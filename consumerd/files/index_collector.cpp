#include "consumerd/files/index_collector.hpp"

#include <algorithm>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::consumer {

static_assert(trace::kBlockHeaderBytes + trace::kIndexFixedBytes +
                  IndexCollector::kMaxMetadata * sizeof(std::uint64_t) +
                  IndexCollector::kMaxLate * trace::kIndexedExtentBytes +
                  IndexCollector::kMaxPoints * trace::kIndexedPointBytes <=
              IndexCollector::kMaxIndexBytes);

void IndexCollector::add(std::span<const std::byte> blocks) {
  while (!blocks.empty()) {
    trace::BlockFrame frame;
    if (!trace::parse_block_frame(blocks, frame) || frame.block_bytes() > blocks.size()) {
      incomplete_ = true;
      return;
    }
    const auto payload = blocks.subspan(trace::kBlockHeaderBytes, frame.payload_bytes);
    switch (frame.type) {
      case trace::BlockType::kHeader:
        *this = IndexCollector();
        break;
      case trace::BlockType::kClock:
      case trace::BlockType::kDictionary:
      case trace::BlockType::kStream:
        add_metadata();
        break;
      case trace::BlockType::kExtent:
        add_extent(payload);
        break;
      case trace::BlockType::kSequencePoint:
        add_point(payload);
        break;
      default:
        break;
    }
    section_bytes_ += frame.block_bytes();
    blocks = blocks.subspan(frame.block_bytes());
  }
}

void IndexCollector::add_metadata() {
  if (metadata_.size() == kMaxMetadata) {
    incomplete_ = true;
  } else if (!incomplete_) {
    metadata_.push_back(section_bytes_);
  }
}

void IndexCollector::add_extent(std::span<const std::byte> payload) {
  const auto smallest = trace::load<std::uint64_t>(payload.data() + 24);
  const auto largest = trace::load<std::uint64_t>(payload.data() + 32);
  smallest_tsc_ = std::min(smallest_tsc_, smallest);
  largest_tsc_ = std::max(largest_tsc_, largest);
  if ((trace::load<std::uint32_t>(payload.data() + 44) & trace::kExtentLate) == 0) return;
  if (late_.size() == kMaxLate) {
    incomplete_ = true;
  } else if (!incomplete_) {
    late_.push_back({smallest, section_bytes_});
  }
}

void IndexCollector::add_point(std::span<const std::byte> payload) {
  const std::uint64_t last = points_.empty() ? 0 : points_.back().offset;
  if (section_bytes_ - last < point_gap_) return;
  if (points_.size() == kMaxPoints) {
    // Keeps every second point: readers then read slightly more.
    for (std::size_t i = 0; i < kMaxPoints / 2; ++i) points_[i] = points_[2 * i + 1];
    points_.resize(kMaxPoints / 2);
    point_gap_ *= 2;
    if (section_bytes_ - points_.back().offset < point_gap_) return;
  }
  std::uint64_t watermark_tsc = 0;
  trace::parse_watermark(payload, watermark_tsc);
  points_.push_back({section_bytes_, watermark_tsc, largest_tsc_});
}

std::vector<std::byte> IndexCollector::block() const {
  std::vector<std::byte> out;
  if (incomplete_) return out;
  const trace::IndexTables tables{smallest_tsc_, largest_tsc_, metadata_, late_, points_};
  out.resize(trace::index_block_bytes(tables));
  trace::write_index_block(section_bytes_, tables, out);
  return out;
}

}  // namespace ringside::consumer
