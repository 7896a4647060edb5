// Where the frames of a packed trace file lie: its seek table, or what a walk over them finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace-format/trace_file.hpp"

namespace ringside::trace {

// Frames of more content than this are not restored: whoever reads one byte holds all of its frame.
// Packing writers make frames of 1 MiB.
inline constexpr std::size_t kMaxFrameContent = std::size_t{8} << 20;
inline constexpr std::size_t kUsualFrameContent = std::size_t{1} << 20;

struct PackedFrame {
  std::uint64_t packed_offset = 0;
  std::uint64_t content_offset = 0;
  std::uint32_t packed_bytes = 0;
  std::uint32_t content_bytes = 0;
};

bool is_frame_magic(std::uint32_t magic);  // of a zstd frame, skippable ones included

// The frames of `packed`, which follow each other without gaps in their content. Without a sound
// seek table they are found by their block headers; a place where no frame can be made out counts
// as one of the usual size. Empty with `*why` if there are none that can be read one by one.
std::vector<PackedFrame> find_frames(TraceFile& packed, std::string* why);

}  // namespace ringside::trace
