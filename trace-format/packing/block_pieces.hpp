// Divides the bytes of a trace file into the pieces of column frames, and follows its sections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trace-format/codec/site_table.hpp"
#include "trace-format/packing/column_frame_writer.hpp"

namespace ringside::trace {

class BlockPieces {
 public:
  // The number of bytes of the next piece: a block, or bytes that are none. At most
  // kMaxRestoredBytes. Nothing if more bytes are needed to tell, and there may be more.
  std::optional<std::size_t> next_piece(std::span<const std::byte> bytes, bool at_end);

  // Adds the piece that next_piece() found.
  void add(std::span<const std::byte> piece);

  // The frame of all pieces since the last call. Reports what it restores. Valid until the next
  // call of any function.
  const ColumnWriter& finish_frame();
  std::span<const std::byte> frame_bytes() const { return bytes_; }
  bool frame_full() const { return frame_.full(); }
  void clear_frame();

  // Of the frames so far.
  std::uint64_t column_extents() const { return column_extents_; }

 private:
  std::size_t inside_ = 0;  // bytes left of a block that is too large for a frame
  std::uint64_t section_ = 0;
  std::unique_ptr<SiteTable> sites_ = std::make_unique<SiteTable>();
  std::vector<std::byte> bytes_;
  ColumnFrameWriter frame_;
  std::uint64_t column_extents_ = 0;
};

}  // namespace ringside::trace
