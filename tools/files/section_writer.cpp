#include "tools/files/section_writer.hpp"

#include <algorithm>

#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool {
namespace {

// Readers begin at an indexed sequence point, so they may read up to this much unneeded data.
constexpr std::uint64_t kPointGapBytes = std::uint64_t{256} << 10;

}  // namespace

bool SectionWriter::add(std::span<const std::byte> frame, std::span<const std::byte> payload) {
  trace::BlockFrame parsed;
  if (trace::parse_block_frame(frame, parsed)) note(parsed.type, payload);
  bytes_ += frame.size() + payload.size();
  output_.write(frame);
  return output_.write(payload);
}

void SectionWriter::note(trace::BlockType type, std::span<const std::byte> payload) {
  switch (type) {
    case trace::BlockType::kClock:
    case trace::BlockType::kDictionary:
    case trace::BlockType::kStream:
      if (has_index_) metadata_.push_back(bytes_);
      return;
    case trace::BlockType::kExtent: {
      trace::ExtentHeader header;
      if (!trace::ExtentHeader::parse(payload, header)) return;
      records_ += header.records;
      if (header.has_lost()) dropped_ += header.dropped;
      smallest_tsc_ = std::min(smallest_tsc_, header.min_tsc);
      largest_tsc_ = std::max(largest_tsc_, header.max_tsc);
      if (has_index_ && (header.flags & trace::kExtentLate) != 0)
        late_.push_back({header.min_tsc, bytes_});
      return;
    }
    case trace::BlockType::kSequencePoint: {
      std::uint64_t watermark = 0;
      if (!has_index_) return;
      const std::uint64_t last = points_.empty() ? 0 : points_.back().offset;
      if (bytes_ - last < kPointGapBytes || !trace::parse_watermark(payload, watermark)) return;
      points_.push_back({bytes_, watermark, largest_tsc_});
      return;
    }
    default:
      return;
  }
}

bool SectionWriter::end(trace::EndReason reason) {
  const trace::IndexTables tables{smallest_tsc_, largest_tsc_, metadata_, late_, points_};
  buffer_.resize(trace::index_block_bytes(tables));
  // A section with more blocks than an index can hold has no index.
  const std::size_t index_bytes =
      has_index_ ? trace::write_index_block(bytes_, tables, buffer_) : 0;
  output_.write(std::span(buffer_).first(index_bytes));
  buffer_.resize(trace::kBlockHeaderBytes + trace::kEndBytes);
  trace::EndBlock end;
  end.records = records_;
  end.dropped = dropped_;
  end.reason = reason;
  end.index_bytes = index_bytes;
  const std::size_t end_bytes = trace::write_end_block(end, buffer_);
  const bool written = output_.write(std::span(buffer_).first(end_bytes));
  bytes_ = records_ = dropped_ = largest_tsc_ = 0;
  smallest_tsc_ = UINT64_MAX;
  metadata_.clear();
  late_.clear();
  points_.clear();
  return written;
}

}  // namespace ringside::tool
