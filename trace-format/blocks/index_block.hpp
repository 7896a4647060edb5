// The INDEX block of a section, as its writer creates it (README.md, "INDEX").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ringside::trace {

// All offsets are in bytes from the section's first byte.
struct IndexedExtent {
  std::uint64_t smallest_tsc = 0;
  std::uint64_t offset = 0;
};

struct IndexedPoint {
  std::uint64_t offset = 0;
  std::uint64_t watermark_tsc = 0;
  std::uint64_t largest_tsc_before = 0;  // of all extents before it
};

struct IndexTables {
  std::uint64_t smallest_tsc = UINT64_MAX;  // of all extents
  std::uint64_t largest_tsc = 0;
  std::span<const std::uint64_t> metadata;  // CLOCK, DICTIONARY and STREAM blocks
  std::span<const IndexedExtent> late;
  std::span<const IndexedPoint> points;
};

// Size of the complete block.
std::size_t index_block_bytes(const IndexTables& tables);

// `offset`: the position of the block. Returns its size; 0 if it does not fit into `out`.
std::size_t write_index_block(std::uint64_t offset, const IndexTables& tables,
                              std::span<std::byte> out);

}  // namespace ringside::trace
