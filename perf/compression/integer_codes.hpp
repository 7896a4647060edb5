// Codes of single integers that the study compares with Ringside's. All append at `out` and may
// overwrite up to 8 bytes after the end of the code. PrefixVarint, leSQLite and leSQLite2 are
// those of github.com/stoklund/varint, written from its description.
#pragma once

#include <algorithm>
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

// The value after as many low zeros as further bytes follow the first one, and a one.
inline void put_prefix_varint(std::uint64_t value, std::byte*& out) {
  const auto bits = static_cast<unsigned>(std::bit_width(value | 1));
  if (bits > 56) {
    *out++ = std::byte{0};
    trace::store(out, value);
    out += 8;
    return;
  }
  const unsigned bytes = (bits + 6) / 7;
  trace::store(out, (value << 1 | 1) << (bytes - 1));
  out += bytes;
}

inline void put_with_byte_count(std::uint64_t value, unsigned least_bytes, unsigned first,
                                std::byte*& out) {
  const auto bits = static_cast<unsigned>(std::bit_width(value | 1));
  const unsigned bytes = std::max((bits + 7) / 8, least_bytes);
  *out++ = static_cast<std::byte>(first + bytes - least_bytes);
  trace::store(out, value);
  out += bytes;
}

// First byte: up to 184 the value, up to 248 the high part of 14 bits, else the number of bytes.
inline void put_lesqlite(std::uint64_t value, std::byte*& out) {
  if (value < 185) {
    *out++ = static_cast<std::byte>(value);
  } else if (value <= 185 + 0x3FFF) {
    value -= 185;
    *out++ = static_cast<std::byte>(185 + (value >> 8));
    *out++ = static_cast<std::byte>(value);
  } else {
    put_with_byte_count(value, 2, 249, out);
  }
}

// First byte: up to 177 the value, up to 241 the high part of 14 bits, up to 249 that of 19 bits,
// else the number of bytes.
inline void put_lesqlite2(std::uint64_t value, std::byte*& out) {
  if (value < 178) {
    *out++ = static_cast<std::byte>(value);
  } else if (value < 178 + (1 << 14)) {
    value -= 178;
    *out++ = static_cast<std::byte>(178 + (value >> 8));
    *out++ = static_cast<std::byte>(value);
  } else if (value < 16'562 + (1 << 19)) {
    value -= 16'562;
    *out++ = static_cast<std::byte>(242 + (value >> 16));
    *out++ = static_cast<std::byte>(value);
    *out++ = static_cast<std::byte>(value >> 8);
  } else {
    put_with_byte_count(value, 3, 250, out);
  }
}

}  // namespace ringside::perf
