#pragma once
// Writes sections of a trace file, block by block, and creates the INDEX and END of each.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/files/output_file.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/index_block.hpp"

namespace ringside::tool {

class SectionWriter {
 public:
  explicit SectionWriter(OutputFile& output) : output_(output) {}

  // Adds a whole block other than INDEX and END: its 16 bytes and its payload, unchanged. A HEADER
  // comes first. False if the output fails; its commit() reports the reason.
  bool add(std::span<const std::byte> frame, std::span<const std::byte> payload);
  bool add(std::span<const std::byte> block) {
    return add(block.first(trace::kBlockHeaderBytes), block.subspan(trace::kBlockHeaderBytes));
  }

  // For a section that is read while it grows, never from its index: it gets none, and needs no
  // memory for one.
  void omit_index() { has_index_ = false; }
  // Of the extents until now.
  std::uint64_t largest_tsc() const { return largest_tsc_; }
  std::uint64_t bytes() const { return bytes_; }

  // Writes INDEX and END of the section; the next one may begin.
  bool end(trace::EndReason reason);

 private:
  void note(trace::BlockType type, std::span<const std::byte> payload);

  OutputFile& output_;
  bool has_index_ = true;
  std::uint64_t bytes_ = 0;  // length of the section until now
  std::uint64_t records_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t smallest_tsc_ = UINT64_MAX;
  std::uint64_t largest_tsc_ = 0;
  std::vector<std::uint64_t> metadata_;
  std::vector<trace::IndexedExtent> late_;
  std::vector<trace::IndexedPoint> points_;
  std::vector<std::byte> buffer_;
};

}  // namespace ringside::tool
