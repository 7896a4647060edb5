#pragma once
// The magic, version and byte order of a Ringside segment.

#include <cstdint>

namespace ringside::shm {

// "RINGSIDE" in little-endian byte order.
inline constexpr std::uint64_t kSegmentMagic = 0x45444953474E4952;

// A change of the major version is incompatible: neither side touches the other's segment.
// A change of the minor version only uses bytes that were reserved (zero) before.
inline constexpr std::uint32_t kAbiMajor = 1;
inline constexpr std::uint32_t kAbiMinor = 11;
inline constexpr std::uint32_t kAbiVersion = kAbiMajor << 16 | kAbiMinor;

constexpr std::uint32_t abi_major(std::uint32_t version) {
  return version >> 16;
}
constexpr std::uint32_t abi_minor(std::uint32_t version) {
  return version & 0xFFFFU;
}

// Reads as 0x04030201 if the byte order of the writer and the reader differ.
inline constexpr std::uint32_t kByteOrderMark = 0x01020304;

}  // namespace ringside::shm
