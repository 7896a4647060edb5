// Compresses columns as one zstd frame whose blocks end where the columns do, so that each has
// entropy tables of its own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trace-format/packing/column_bytes.hpp"

struct ZSTD_CCtx_s;

namespace ringside::trace {

class ColumnCompressor {
 public:
  static constexpr int kQuick = 1;  // a level of zstd, for estimates

  explicit ColumnCompressor(int level);
  ~ColumnCompressor();
  ColumnCompressor(const ColumnCompressor&) = delete;
  ColumnCompressor& operator=(const ColumnCompressor&) = delete;

  // False if there is no memory, or zstd does not know the level.
  bool usable() const { return context_ != nullptr; }

  // The frame, with its content size and checksum; empty if zstd failed. Valid until the next call.
  std::span<const std::byte> compress(std::span<const std::byte> bytes,
                                      std::span<const std::size_t> cuts);
  // SIZE_MAX if zstd failed.
  std::size_t size_of(const ColumnWriter& columns);

 private:
  ZSTD_CCtx_s* context_;
  std::vector<std::byte> frame_;
};

}  // namespace ringside::trace
