// Packs a closed trace file in the Zstandard seekable format, see README.md, "Packed files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ringside::trace {

class BlockPieces;
class ColumnCompressor;

// What the frames contain. Readers before 1.4 refuse columns, and `zstd -d` does not restore them.
enum class PackedForm : std::uint8_t { kColumns, kBytes };

// Takes the content in order and outputs the packed bytes in order. Holds one frame of content, its
// columns and one packed frame; not thread-safe. After a failure it cannot be used any more.
class PackedFileWriter {
 public:
  static constexpr int kDefaultLevel = 3;  // of zstd

  // Receives the packed bytes: returns true if it took all of them. The sink keeps the reason of a
  // failure.
  using Sink = std::function<bool(std::span<const std::byte>)>;

  // Null if there is no memory for zstd. `level` is clamped to zstd's range. Content that does not
  // begin with a HEADER is packed as bytes.
  static std::unique_ptr<PackedFileWriter> create(Sink sink, int level = kDefaultLevel,
                                                  PackedForm form = PackedForm::kColumns);

  ~PackedFileWriter();
  PackedFileWriter(const PackedFileWriter&) = delete;
  PackedFileWriter& operator=(const PackedFileWriter&) = delete;

  // Pieces of any size. False if the sink or zstd failed.
  bool append(std::span<const std::byte> content);

  // Writes the last frame and the tables; call exactly once, after everything was appended.
  bool finish();

  std::uint64_t content_bytes() const { return content_bytes_; }
  std::uint64_t packed_bytes() const { return packed_bytes_; }
  std::uint64_t column_extents() const;  // the others are among the bytes

 private:
  struct Frame {
    std::uint32_t packed_bytes = 0;
    std::uint32_t content_bytes = 0;
    std::uint32_t restored_bytes = 0;
  };

  PackedFileWriter(Sink sink, std::unique_ptr<ColumnCompressor> compressor, PackedForm form);
  bool append_pieces(bool at_end);
  bool write_notice(std::span<const std::byte> header);
  bool write_columns();
  bool write_bytes(std::span<const std::byte> content);
  bool write_packed(std::span<const std::byte> packed, std::size_t content_bytes,
                    std::size_t restored_bytes);
  bool write_column_table();
  bool write_seek_table();
  bool write(std::span<const std::byte> bytes);

  Sink sink_;
  std::unique_ptr<ColumnCompressor> compressor_;
  PackedForm form_;
  std::unique_ptr<BlockPieces> pieces_;  // with columns, once the content has begun
  std::vector<std::byte> content_;       // that is not written yet
  std::vector<Frame> frames_;
  std::uint64_t content_bytes_ = 0;
  std::uint64_t packed_bytes_ = 0;
};

}  // namespace ringside::trace
