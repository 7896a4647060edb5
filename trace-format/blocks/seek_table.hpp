#pragma once
// Constants of Zstandard's seekable format: the last frame of a packed file is a skippable one that
// holds the table of all frames (contrib/seekable_format/zstd_seekable_compression_format.md of
// Zstandard's source). All integers are little-endian.
//
//   SKIPPABLE MAGIC | bytes that follow | entries: packed bytes, content bytes [, checksum] ... |
//   footer: number of entries u32, descriptor u8, SEEKABLE MAGIC u32

#include <cstddef>
#include <cstdint>

namespace ringside::trace {

// The magic of skippable frames in general; the last 4 bits are free.
inline constexpr std::uint32_t kSkippableMagic = 0x184D2A50;
inline constexpr std::uint32_t kSeekTableMagic = 0x184D2A5E;
inline constexpr std::uint32_t kSeekableMagic = 0x8F92EAB1;
inline constexpr std::size_t kSkippableHeaderBytes = 8;
inline constexpr std::size_t kSeekFooterBytes = 9;

}  // namespace ringside::trace
