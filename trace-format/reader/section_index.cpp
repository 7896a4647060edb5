#include "trace-format/reader/section_index.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kIndexBytesAt = 24;  // in END's payload

// An END block that ends the section is searched for in this many bytes; it has 48.
constexpr std::size_t kTailBytes = 256;

class IndexedSection {
 public:
  IndexedSection(TraceFile& file, std::uint64_t end)
      : file_(file), end_(end), blocks_(file, 0, end, nullptr) {}

  std::optional<SectionScan> read() {
    std::uint64_t end_block = 0;
    std::uint64_t index_bytes = 0;
    if (!find_end(end_block, index_bytes)) return std::nullopt;
    if (index_bytes == 0 || index_bytes > end_block) return std::nullopt;
    index_ = end_block - index_bytes;
    Block block;
    if (!blocks_.read_at(index_, block) || block.frame.type != BlockType::kIndex ||
        block.frame.block_bytes() != index_bytes || !parse(block.payload)) {
      return std::nullopt;
    }
    // Only now, because reading another block invalidates the payload.
    if (!read_header() || !read_metadata()) return std::nullopt;
    section_.end = end_;
    section_.indexed = true;
    section_.ended = true;
    // LOSSES blocks are not in the index, but they are newer than the section's first CLOCK.
    const ClockPoint& first = section_.clocks.points().front();
    section_.first_unix_ns =
        section_.min_tsc == SectionScan::kNoTsc
            ? 0
            : std::min(section_.clocks.unix_ns(section_.min_tsc), first.unix_ns(first.tsc0));
    return std::move(section_);
  }

 private:
  bool find_end(std::uint64_t& end_block, std::uint64_t& index_bytes) {
    std::array<std::byte, kTailBytes> tail{};
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kTailBytes, end_));
    if (file_.read(end_ - bytes, std::span(tail).first(bytes)) != bytes) return false;
    constexpr std::size_t kLeast = kBlockHeaderBytes + kEndBytes;
    for (std::size_t from_end = kLeast; from_end <= bytes; ++from_end) {
      const auto at = std::span<const std::byte>(tail).subspan(bytes - from_end, from_end);
      BlockFrame frame;
      if (!parse_block_frame(at, frame) || frame.type != BlockType::kEnd ||
          frame.block_bytes() != from_end) {
        continue;
      }
      const auto payload = at.subspan(kBlockHeaderBytes);
      if (!check_block(at, payload)) continue;
      end_block = end_ - from_end;
      index_bytes = load<std::uint64_t>(payload.data() + kIndexBytesAt);
      return true;
    }
    return false;
  }

  // Parses to `section_`, with offsets in the file.
  bool parse(std::span<const std::byte> payload) {
    if (payload.size() < kIndexFixedBytes) return false;
    const std::byte* p = payload.data();
    const auto section_bytes = load<std::uint64_t>(p);
    section_.min_tsc = load<std::uint64_t>(p + 8);
    section_.max_tsc = load<std::uint64_t>(p + 16);
    const std::uint64_t metadata = load<std::uint32_t>(p + 24);
    const std::uint64_t late = load<std::uint32_t>(p + 28);
    const std::uint64_t points = load<std::uint32_t>(p + 32);
    if (section_bytes > index_ || section_bytes < kBlockHeaderBytes ||
        8 * metadata + 16 * late + 24 * points > payload.size() - kIndexFixedBytes) {
      return false;
    }
    section_.begin = index_ - section_bytes;
    p += kIndexFixedBytes;
    std::uint64_t before = 0;  // offsets must rise
    const auto place = [&](std::uint64_t offset, std::uint64_t& result) {
      if (offset <= before || offset > section_bytes - kBlockHeaderBytes) return false;
      before = offset;
      result = section_.begin + offset;
      return true;
    };
    section_.metadata.resize(static_cast<std::size_t>(metadata));
    for (std::uint64_t& offset : section_.metadata) {
      if (!place(load<std::uint64_t>(p), offset)) return false;
      p += 8;
    }
    before = 0;
    section_.late.resize(static_cast<std::size_t>(late));
    for (LateExtent& extent : section_.late) {
      extent.min_tsc = load<std::uint64_t>(p);
      if (!place(load<std::uint64_t>(p + 8), extent.offset)) return false;
      p += 16;
    }
    std::stable_sort(
        section_.late.begin(), section_.late.end(),
        [](const LateExtent& a, const LateExtent& b) { return a.min_tsc < b.min_tsc; });
    before = 0;
    std::uint64_t max_before = 0;
    section_.points.resize(static_cast<std::size_t>(points));
    for (TimePoint& point : section_.points) {
      if (!place(load<std::uint64_t>(p), point.offset)) return false;
      point.watermark = load<std::uint64_t>(p + 8);
      point.max_tsc_before = load<std::uint64_t>(p + 16);
      if (point.max_tsc_before < max_before || point.max_tsc_before > section_.max_tsc)
        return false;
      max_before = point.max_tsc_before;
      p += 24;
    }
    return true;
  }

  bool read_header() {
    Block block;
    SectionHeader header;
    if (!blocks_.read_at(section_.begin, block) || block.frame.type != BlockType::kHeader ||
        !SectionHeader::parse(block.payload, header) || !can_read(header)) {
      return false;
    }
    section_.segment = segment_of(header, file_.path());
    return true;
  }

  // CLOCK blocks completely, the headers of the others: their readers will find damage.
  bool read_metadata() {
    for (const std::uint64_t offset : section_.metadata) {
      std::array<std::byte, kBlockHeaderBytes + kClockBytes> bytes{};
      BlockFrame frame;
      if (file_.read(offset, bytes) != bytes.size() || !parse_block_frame(bytes, frame) ||
          frame.block_bytes() > index_ - offset) {
        return false;
      }
      if (frame.type == BlockType::kDictionary || frame.type == BlockType::kStream) continue;
      Block block;
      ClockPoint point;
      if (frame.type != BlockType::kClock || !blocks_.read_at(offset, block) ||
          !ClockPoint::parse(block.payload, point)) {
        return false;
      }
      section_.clocks.add(point);
    }
    return !section_.clocks.empty();
  }

  TraceFile& file_;
  std::uint64_t end_;
  BlockReader blocks_;
  std::uint64_t index_ = 0;  // offset of the block
  SectionScan section_;
};

}  // namespace

std::optional<SectionScan> read_indexed_section(TraceFile& file, std::uint64_t end) {
  return IndexedSection(file, end).read();
}

}  // namespace ringside::trace
