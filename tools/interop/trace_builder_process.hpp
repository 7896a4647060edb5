#pragma once
// A process of a TraceBuilder: its file, and how blocks for it are made.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tools/files/output_file.hpp"
#include "tools/files/section_writer.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"

namespace ringside::tool {

struct TraceBuilder::Process {
  std::unique_ptr<OutputFile> file;  // null: it could not be created
  std::unique_ptr<SectionWriter> section;
  std::size_t entries_written = 0;
  std::vector<std::uint32_t> moved;  // streams that moved since the last sequence point
  ProcessDefinition definition;
  std::array<std::uint8_t, 16> uuid{};
  bool is_renamed = false;  // since its header was written
  std::size_t collected_bytes = 0;
  std::uint64_t released_bytes = 0;
};

template <class Make>
std::span<const std::byte> TraceBuilder::make_block(Make&& make) {
  constexpr std::size_t kMostBytes = trace::kBlockHeaderBytes + trace::kMaxPayloadBytes;
  if (block_.size() < 4096) block_.resize(4096);
  for (;;) {
    const std::size_t bytes = make(std::span(block_));
    if (bytes != 0 || block_.size() >= kMostBytes) return std::span(block_).first(bytes);
    block_.resize(std::min(kMostBytes, 4 * block_.size()));
  }
}

}  // namespace ringside::tool
