// Positions of the frames of a packed trace file: from its seek table, or found by a walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace-format/blocks/trace_file.hpp"

namespace ringside::trace {

// Frames with more content than this are not restored: to read one byte, a reader holds the whole
// frame. Packing writers create frames of 1 MiB.
inline constexpr std::size_t kMaxFrameContent = std::size_t{8} << 20;
inline constexpr std::size_t kUsualFrameContent = std::size_t{1} << 20;

struct PackedFrame {
  std::uint64_t packed_offset = 0;
  std::uint64_t content_offset = 0;
  std::uint32_t packed_bytes = 0;
  std::uint32_t content_bytes = 0;
};

bool is_frame_magic(std::uint32_t magic);  // of a zstd frame, skippable ones included

// The frames of `packed`, without gaps in their content. Without a valid seek table they are found
// by their block headers; bytes that are not a frame count as one of the usual size. Empty with
// `*why` if there are none that can be read one by one.
std::vector<PackedFrame> find_frames(TraceFile& packed, std::string* why);

}  // namespace ringside::trace
