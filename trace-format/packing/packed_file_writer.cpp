#include "trace-format/packing/packed_file_writer.hpp"

#include <algorithm>
#include <utility>
#include <zstd.h>

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/frame_table.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/seek_table.hpp"
#include "trace-format/packing/block_pieces.hpp"
#include "trace-format/packing/column_compressor.hpp"
#include "trace-format/packing/column_table.hpp"

namespace ringside::trace {
namespace {

constexpr std::size_t kEntryBytes = 8;

// Whether the bytes begin with a HEADER that this version understands; `bytes`: all of that block.
bool begins_with_header(std::span<const std::byte> content, std::size_t& bytes) {
  BlockFrame frame;
  if (!parse_block_frame(content, frame) || frame.type != BlockType::kHeader ||
      frame.payload_bytes < kHeaderFixedBytes || frame.block_bytes() > content.size()) {
    return false;
  }
  bytes = frame.block_bytes();
  return check_block(content.first(kBlockHeaderBytes),
                     content.subspan(kBlockHeaderBytes, frame.payload_bytes));
}

}  // namespace

PackedFileWriter::PackedFileWriter(Sink sink, std::unique_ptr<ColumnCompressor> compressor,
                                   PackedForm form)
    : sink_(std::move(sink)), compressor_(std::move(compressor)), form_(form) {
  content_.reserve(kUsualFrameContent);
}

PackedFileWriter::~PackedFileWriter() = default;

std::unique_ptr<PackedFileWriter> PackedFileWriter::create(Sink sink, int level, PackedForm form) {
  auto compressor = std::make_unique<ColumnCompressor>(level);
  if (!compressor->usable()) return nullptr;
  return std::unique_ptr<PackedFileWriter>(
      new PackedFileWriter(std::move(sink), std::move(compressor), form));
}

bool PackedFileWriter::append(std::span<const std::byte> content) {
  if (form_ == PackedForm::kColumns) {
    content_.insert(content_.end(), content.begin(), content.end());
    return append_pieces(false);
  }
  while (!content.empty()) {
    if (content_.empty() && content.size() >= kUsualFrameContent) {
      if (!write_bytes(content.first(kUsualFrameContent))) return false;
      content = content.subspan(kUsualFrameContent);
      continue;
    }
    const std::size_t bytes = std::min(kUsualFrameContent - content_.size(), content.size());
    content_.insert(content_.end(), content.begin(),
                    content.begin() + static_cast<std::ptrdiff_t>(bytes));
    content = content.subspan(bytes);
    if (content_.size() < kUsualFrameContent) continue;
    if (!write_bytes(content_)) return false;
    content_.clear();
  }
  return true;
}

std::uint64_t PackedFileWriter::column_extents() const {
  return pieces_ == nullptr ? 0 : pieces_->column_extents();
}

// Moves whole blocks from content_ to frames.
bool PackedFileWriter::append_pieces(bool at_end) {
  if (pieces_ == nullptr) {
    std::size_t header = 0;
    if (!begins_with_header(content_, header)) {
      if (!at_end && content_.size() < kUsualFrameContent) return true;
      form_ = PackedForm::kBytes;
      const std::vector<std::byte> content = std::exchange(content_, {});
      return append(content);
    }
    pieces_ = std::make_unique<BlockPieces>();
    if (!write_notice(std::span(content_).first(header))) return false;
  }
  std::size_t used = 0;
  while (const auto piece = pieces_->next_piece(std::span(content_).subspan(used), at_end)) {
    const bool is_full =
        pieces_->frame_bytes().size() + *piece > kMaxRestoredBytes || pieces_->frame_full();
    if (is_full && !write_columns()) return false;
    pieces_->add(std::span(content_).subspan(used, *piece));
    used += *piece;
  }
  content_.erase(content_.begin(), content_.begin() + static_cast<std::ptrdiff_t>(used));
  return true;
}

bool PackedFileWriter::finish() {
  if (form_ == PackedForm::kColumns && !append_pieces(true)) return false;
  if (form_ == PackedForm::kColumns) {
    if (!pieces_->frame_bytes().empty() && !write_columns()) return false;
    return write_column_table() && write_seek_table();
  }
  // An empty file gets a frame too: without one it would not be a valid zstd file.
  if ((!content_.empty() || frames_.empty()) && !write_bytes(content_)) return false;
  return write_seek_table();
}

bool PackedFileWriter::write_notice(std::span<const std::byte> header) {
  std::vector<std::byte> notice(header.begin(), header.end());
  std::byte* const fields = notice.data() + kBlockHeaderBytes;
  for (const std::size_t version : {std::size_t{0}, std::size_t{4}}) {
    store(fields + version, kFormatMajor);
    store(fields + version + 2, kColumnsFormatMinor);
  }
  write_block_frame(notice.data(), BlockType::kHeader, header.size() - kBlockHeaderBytes);
  notice.resize(header.size() + kBlockHeaderBytes);
  write_block_frame(notice.data() + header.size(), kColumnsBlock, 0, kBlockCritical);
  return write_packed(compressor_->compress(notice, {}), notice.size(), 0);
}

bool PackedFileWriter::write_columns() {
  const ColumnWriter& columns = pieces_->finish_frame();
  const bool is_written = write_packed(compressor_->compress(columns.bytes(), columns.cuts()),
                                       columns.bytes().size(), pieces_->frame_bytes().size());
  pieces_->clear_frame();
  return is_written;
}

bool PackedFileWriter::write_bytes(std::span<const std::byte> content) {
  return write_packed(compressor_->compress(content, {}), content.size(), content.size());
}

// `packed`: a whole frame; empty if zstd failed.
bool PackedFileWriter::write_packed(std::span<const std::byte> packed, std::size_t content_bytes,
                                    std::size_t restored_bytes) {
  if (packed.empty()) return false;
  frames_.push_back({static_cast<std::uint32_t>(packed.size()),
                     static_cast<std::uint32_t>(content_bytes),
                     static_cast<std::uint32_t>(restored_bytes)});
  content_bytes_ += restored_bytes;
  return write(packed);
}

bool PackedFileWriter::write_column_table() {
  const std::size_t payload = 4 * frames_.size() + 4;
  if (payload > UINT32_MAX) return false;
  std::vector<std::byte> table(kSkippableHeaderBytes + payload);
  std::byte* p = table.data();
  store(p, kColumnTableMagic);
  store(p + 4, static_cast<std::uint32_t>(payload));
  p += kSkippableHeaderBytes;
  for (const Frame& frame : frames_) {
    store(p, frame.restored_bytes);
    p += 4;
  }
  store(p, static_cast<std::uint32_t>(frames_.size()));
  frames_.push_back({static_cast<std::uint32_t>(table.size()), 0, 0});
  return write(table);
}

bool PackedFileWriter::write_seek_table() {
  const std::size_t payload = frames_.size() * kEntryBytes + kSeekFooterBytes;
  if (payload > UINT32_MAX) return false;
  std::vector<std::byte> table(kSkippableHeaderBytes + payload);
  std::byte* p = table.data();
  store(p, kSeekTableMagic);
  store(p + 4, static_cast<std::uint32_t>(payload));
  p += kSkippableHeaderBytes;
  for (const Frame& frame : frames_) {
    store(p, frame.packed_bytes);
    store(p + 4, frame.content_bytes);
    p += kEntryBytes;
  }
  store(p, static_cast<std::uint32_t>(frames_.size()));
  store(p + 4, std::uint8_t{0});  // no checksums here: each frame has its own
  store(p + 5, kSeekableMagic);
  return write(table);
}

bool PackedFileWriter::write(std::span<const std::byte> bytes) {
  packed_bytes_ += bytes.size();
  return sink_(bytes);
}

}  // namespace ringside::trace
