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

// Takes the content in order and outputs the packed bytes in order. Holds one frame of content and
// one packed frame; not thread-safe. After a failure it cannot be used any more.
class PackedFileWriter {
 public:
  static constexpr int kDefaultLevel = 3;  // of zstd

  // Receives the packed bytes: returns true if it took all of them. The sink keeps the reason of a
  // failure.
  using Sink = std::function<bool(std::span<const std::byte>)>;

  // Null if there is no memory for zstd. `level` is clamped to zstd's range.
  static std::unique_ptr<PackedFileWriter> create(Sink sink, int level = kDefaultLevel);

  ~PackedFileWriter();
  PackedFileWriter(const PackedFileWriter&) = delete;
  PackedFileWriter& operator=(const PackedFileWriter&) = delete;

  // Pieces of any size. False if the sink or zstd failed.
  bool append(std::span<const std::byte> content);

  // Writes the last frame and the seek table; call exactly once, after everything was appended.
  bool finish();

  std::uint64_t content_bytes() const { return content_bytes_; }
  std::uint64_t packed_bytes() const { return packed_bytes_; }

 private:
  struct Compressor;  // of zstd
  struct Frame {
    std::uint32_t packed_bytes = 0;
    std::uint32_t content_bytes = 0;
  };

  PackedFileWriter(Sink sink, std::unique_ptr<Compressor> compressor);
  bool write_frame(std::span<const std::byte> content);
  bool write(std::span<const std::byte> bytes);

  Sink sink_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::byte> content_;  // of the frame that is being filled
  std::vector<std::byte> packed_;
  std::vector<Frame> frames_;
  std::uint64_t content_bytes_ = 0;
  std::uint64_t packed_bytes_ = 0;
};

}  // namespace ringside::trace
