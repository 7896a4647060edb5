#pragma once
// Gathers the contents of a section's INDEX block as its blocks are committed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/blocks/index_block.hpp"

namespace ringside::consumer {

// Holds at most kMaxIndexBytes. It does not depend on files and slots: offsets count the bytes
// since the last HEADER, so they hold wherever and however often these bytes are written.
class IndexCollector {
 public:
  static constexpr std::size_t kMaxMetadata = 65536;
  static constexpr std::size_t kMaxLate = 65536;
  static constexpr std::size_t kMaxPoints = 16384;
  static constexpr std::uint64_t kPointGapBytes = 1U << 20;
  static constexpr std::size_t kMaxIndexBytes = 2U << 20;

  // Takes whole blocks, in file order. A HEADER begins a new section and discards the old one.
  void add(std::span<const std::byte> blocks);

  // The INDEX block for everything added until now. Empty if an index is impossible: the section
  // has more metadata or late extents than the tables hold, or some bytes were not a block.
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
