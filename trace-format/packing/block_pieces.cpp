#include "trace-format/packing/block_pieces.hpp"

#include <algorithm>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/packing/column_frame_reader.hpp"
#include "trace-format/packing/column_table.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kMagicBytes = 4;

// Where the next block may begin, after the first byte.
std::size_t next_magic(std::span<const std::byte> bytes) {
  for (std::size_t at = 1; at + kMagicBytes <= bytes.size(); ++at) {
    if (load<std::uint32_t>(bytes.data() + at) == kBlockMagic) return at;
  }
  return bytes.size();
}

}  // namespace

std::optional<std::size_t> BlockPieces::next_piece(std::span<const std::byte> bytes, bool at_end) {
  if (bytes.empty()) return std::nullopt;
  const std::size_t most = std::min(bytes.size(), kMaxRestoredBytes);
  if (inside_ != 0) {
    const std::size_t piece = std::min(inside_, most);
    inside_ -= piece;
    return piece;
  }
  if (bytes.size() < kBlockHeaderBytes && !at_end) return std::nullopt;
  BlockFrame frame;
  if (parse_block_frame(bytes, frame)) {
    const std::size_t block = frame.block_bytes();
    if (block <= most) return block;
    if (block <= kMaxRestoredBytes) return at_end ? std::optional(most) : std::nullopt;
    inside_ = block - most;
    return most;
  }
  const std::size_t end = next_magic(bytes.first(most));
  // The last bytes may begin a magic.
  if (end == bytes.size() && !at_end && end >= kMagicBytes) return end - (kMagicBytes - 1);
  return end;
}

void BlockPieces::add(std::span<const std::byte> piece) {
  bytes_.insert(bytes_.end(), piece.begin(), piece.end());
  BlockFrame frame;
  const bool is_block =
      parse_block_frame(piece, frame) && frame.block_bytes() == piece.size() &&
      check_block(piece.first(kBlockHeaderBytes), piece.subspan(kBlockHeaderBytes));
  if (is_block && frame.type == BlockType::kHeader) {
    ++section_;
    sites_ = std::make_unique<SiteTable>();
  } else if (is_block && frame.type == BlockType::kDictionary) {
    // Extents of a site in an invalid entry stay as they are.
    (void)sites_->add(piece.subspan(kBlockHeaderBytes), nullptr);
  } else if (is_block && frame.type == BlockType::kExtent &&
             frame_.add_extent(piece, *sites_, section_)) {
    ++column_extents_;
    return;
  }
  frame_.add_bytes(piece);
}

const ColumnWriter& BlockPieces::finish_frame() {
  const ColumnWriter& columns = frame_.finish();
  std::vector<std::byte> restored(bytes_.size());
  if (restore_columns(columns.bytes(), restored) && restored == bytes_) return columns;
  // The limits of a reader, or an error of ours: never write what cannot be read.
  column_extents_ -= frame_.extents();
  frame_.clear();
  frame_.add_bytes(bytes_);
  return frame_.finish();
}

void BlockPieces::clear_frame() {
  bytes_.clear();
  frame_.clear();
}

}  // namespace ringside::trace
