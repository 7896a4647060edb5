// Codes of single integers that the study compares with Ringside's. Both append at `out` and may
// overwrite up to 8 bytes after the end of the code.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trace-format/blocks/little_endian.hpp"

namespace ringside::perf {

// Section 8.2 of NanoLog's dissertation: returns the tag of 4 bits, 1..8 for that number of bytes,
// 9..15 for 1..7 bytes of the negated value.
inline unsigned put_nanolog(std::uint64_t value, std::byte*& out) {
  const auto bytes_of = [](std::uint64_t v) {
    return (71U - static_cast<unsigned>(std::countl_zero(v | 1))) / 8;
  };
  unsigned tag = bytes_of(value);
  unsigned bytes = tag;
  if (static_cast<std::int64_t>(value) < 0) {
    const std::uint64_t negated = std::uint64_t{0} - value;
    if (bytes_of(negated) < 8) {
      value = negated;
      bytes = bytes_of(negated);
      tag = bytes + 8;
    }
  }
  trace::store(out, value);
  out += bytes;
  return tag;
}

// 7 bits per byte, the highest bit set in all bytes except the last.
inline void put_leb128(std::uint64_t value, std::byte*& out) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<std::byte>(value | 0x80);
  *out++ = static_cast<std::byte>(value);
}

}  // namespace ringside::perf
