#pragma once
// Constants of packed files with columns (README.md, "Columns"). Directly before the seek table is
// a skippable frame that says how many bytes each frame restores:
//
//   COLUMN TABLE MAGIC | bytes that follow | u32 restored bytes of each frame ... | u32 frames
//
// The first frame restores nothing. Its content is a HEADER and a COLUMNS block, which stop readers
// that know no columns.

#include <cstddef>
#include <cstdint>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/frame_table.hpp"

namespace ringside::trace {

// Only in packed files, so it is not among the types that readers of sections distinguish.
inline constexpr auto kColumnsBlock = static_cast<BlockType>(13);

inline constexpr std::uint32_t kColumnTableMagic = 0x184D2A5C;
inline constexpr std::size_t kMaxRestoredBytes = kUsualFrameContent;

}  // namespace ringside::trace
