#pragma once
// Gathers what the INDEX block of a section tells, as its blocks go by.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/index_block.hpp"

namespace ringside::consumer {

// Holds at most kMaxIndexBytes. It knows of no files and slots: offsets are the bytes that went by
// since the last HEADER, so they hold wherever and however often these bytes are written.
class IndexCollector {
 public:
  static constexpr std::size_t kMaxMetadata = 65536;
  static constexpr std::size_t kMaxLate = 65536;
  static constexpr std::size_t kMaxPoints = 16384;
  static constexpr std::uint64_t kPointGapBytes = 1U << 20;
  static constexpr std::size_t kMaxIndexBytes = 2U << 20;

  // Whole blocks, in the order of the file. A HEADER begins a new section and forgets the old one.
  void add(std::span<const std::byte> blocks);

  // The INDEX block that may stand behind everything added so far. Empty if there can be none: the
  // section has more metadata or late extents than the tables hold, or something was no block.
  std::vector<std::byte> block() const;

  std::uint64_t section_bytes() const { return section_bytes_; }

 private:
  void add_metadata();
  void add_extent(std::span<const std::byte> payload);
  void add_point(std::span<const std::byte> payload);

  std::uint64_t section_bytes_ = 0;
  std::uint64_t smallest_tsc_ = UINT64_MAX;
  std::uint64_t largest_tsc_ = 0;
  std::uint64_t point_gap_ = kPointGapBytes;
  bool incomplete_ = false;
  std::vector<std::uint64_t> metadata_;
  std::vector<trace::IndexedExtent> late_;
  std::vector<trace::IndexedPoint> points_;
};

}  // namespace ringside::consumer
