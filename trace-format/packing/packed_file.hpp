// A packed trace file, read as the bytes before packing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "trace-format/blocks/frame_table.hpp"
#include "trace-format/blocks/trace_file.hpp"

namespace ringside::trace {

// Frames hold the bytes themselves, or columns that restore them. Restores frame by frame and keeps
// the last few. A frame that cannot be restored reads as zeros, which never begin a block, and is
// reported once.
class PackedFile final : public TraceFile {
 public:
  // Whether `packed` begins like a file written by zstd.
  static bool recognises(TraceFile& packed);

  // Null with `*error` if it has no frames that can be read one by one.
  static std::unique_ptr<TraceFile> open(std::unique_ptr<TraceFile> packed, ReadError* error);

  ~PackedFile() override;
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  std::size_t read(std::uint64_t offset, std::span<std::byte> bytes) override;
  void report_to(ReadReport* report) override;

 private:
  struct Decompressor;  // of zstd
  struct Kept {
    std::size_t frame = 0;
    std::uint64_t last_use = 0;  // 0: empty
    std::vector<std::byte> content;
  };

  // A frame and the bytes that it restores.
  struct Part {
    PackedFrame frame;
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
  };

  PackedFile(std::unique_ptr<TraceFile> packed, std::vector<Part> parts, bool has_columns);
  // The parts of a file with columns; empty if it has none.
  static std::vector<Part> column_parts(TraceFile& packed, const std::vector<PackedFrame>& frames);
  static std::vector<std::uint32_t> read_column_table(TraceFile& packed,
                                                      const std::vector<PackedFrame>& frames);
  static std::vector<std::uint32_t> look_for_columns(TraceFile& packed,
                                                     const std::vector<PackedFrame>& frames);
  const Kept& content_of(std::size_t frame);
  bool restore(const Part& part, std::span<std::byte> content);
  void report_damage(std::size_t frame);

  std::unique_ptr<TraceFile> packed_;
  std::vector<Part> parts_;
  bool has_columns_;
  std::unique_ptr<Decompressor> decompressor_;
  // one for each position that a reader continues from, and for distant blocks
  std::array<Kept, 4> kept_;
  std::uint64_t uses_ = 0;
  std::vector<std::byte> packed_bytes_;
  std::vector<std::byte> columns_;
  std::set<std::size_t> damaged_;
};

}  // namespace ringside::trace
