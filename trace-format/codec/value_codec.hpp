// Codes single argument values: the table under "Argument tags" in README.md, the writer's half.
// Every function appends the bytes at `o`, returns the tag, and may overwrite up to 8 bytes after
// the appended ones: storing 8 bytes and advancing by the length costs less than choosing a width.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {

// Number of bytes that `value` needs, at least 1.
inline unsigned significant_bytes(std::uint64_t value) {
  return (71U - static_cast<unsigned>(std::countl_zero(value | 1))) >> 3;
}

// All bits set if `condition`, else none. Selecting with this mask keeps the compiler from
// branching.
inline std::uint64_t mask_of(bool condition) {
  return std::uint64_t{0} - static_cast<std::uint64_t>(condition);
}

// `value` and `previous` are extended to 64 bits. The branches depend on the field's usual
// behaviour (constant, counting); sign and length are unpredictable and decide no branch.
inline unsigned put_integer(std::uint64_t value, std::uint64_t previous, std::byte*& o) {
  const std::uint64_t distance = value - previous;
  if (distance == 0) return kTagSame;
  if (distance + 0x100 <= 0x200) {
    // 1 to 256 upwards or downwards.
    const std::uint64_t down = distance >> 63;
    *o++ = static_cast<std::byte>((distance - 1 + down) ^ (std::uint64_t{0} - down));
    return kTagUp1 + static_cast<unsigned>(down);
  }
  const std::uint64_t negative = mask_of(value >= ~std::uint64_t{0xFFFFFFFF});
  const std::uint64_t rest = value ^ negative;
  const std::uint64_t length = significant_bytes(rest);
  const std::uint64_t tag = length + (negative & kTagComplement);
  const std::uint64_t up = mask_of(rest > 0xFFFF) & mask_of(distance - 1 < 0x10000);
  store(o, rest ^ ((rest ^ (distance - 1)) & up));
  o += length ^ ((length ^ 2) & up);
  static_assert(kTagUp2 == 15);
  return static_cast<unsigned>(tag | (up & kTagUp2));
}

inline unsigned put_float32(std::uint32_t bits, std::uint32_t previous, std::byte*& o) {
  if (bits == previous) return kTagSame;
  const unsigned length = bits == 0 ? 1U : 4U - static_cast<unsigned>(std::countr_zero(bits)) / 8;
  store(o, bits >> (8 * (4 - length)));
  o += length;
  return length;
}

inline constexpr std::uint64_t kNumberHash = 0x9E3779B97F4A7C15U;
inline std::size_t number_slot(std::uint64_t bits) {
  return bits * kNumberHash >> 56;
}

// `numbers` has kHistorySlots entries.
inline unsigned put_float64(std::uint64_t bits, std::uint64_t previous, std::uint64_t* numbers,
                            std::byte*& o) {
  if (bits == previous) return kTagSame;
  const std::size_t slot = number_slot(bits);
  if (numbers[slot] == bits) {
    *o++ = static_cast<std::byte>(slot);
    return kTagNumberSlot;
  }
  numbers[slot] = bits;
  const unsigned length = bits == 0 ? 1U : 8U - static_cast<unsigned>(std::countr_zero(bits)) / 8;
  store(o, bits >> (8 * (8 - length)));
  o += length;
  return length;
}

inline unsigned put_integer128(const std::byte* value, const std::byte* previous, std::byte*& o) {
  const auto low = load<std::uint64_t>(value);
  const auto high = load<std::uint64_t>(value + 8);
  if (low == load<std::uint64_t>(previous) && high == load<std::uint64_t>(previous + 8)) {
    return kTagSame;
  }
  if (high == 0) {
    const unsigned length = significant_bytes(low);
    store(o, low);
    o += length;
    return length;
  }
  if (~high == 0 && significant_bytes(~low) <= 4) {
    const unsigned length = significant_bytes(~low);
    store(o, ~low);
    o += length;
    return kTagComplement + length;
  }
  store(o, low);
  store(o + 8, high);
  o += 16;
  return kTagWhole128;
}

inline unsigned put_float80(const std::byte* value, const std::byte* previous, std::byte*& o) {
  if (std::memcmp(value, previous, 10) == 0) return kTagSame;
  std::memcpy(o, value, 10);
  o += 10;
  return 1;
}

inline void put_leb128(std::uint64_t value, std::byte*& o) {
  for (; value >= 0x80; value >>= 7) *o++ = static_cast<std::byte>(value | 0x80);
  *o++ = static_cast<std::byte>(value);
}

// Slot of the text history; the hash is part of the format.
inline constexpr std::uint64_t kTextHash1 = 0x9E3779B97F4A7C15U;
inline constexpr std::uint64_t kTextHash2 = 0xBF58476D1CE4E5B9U;
inline std::uint64_t text_hash(const std::byte* text, std::size_t bytes) {
  const bool is_short = bytes < 8;
  const std::uint64_t a = is_short ? load_bytes(text, bytes) : load<std::uint64_t>(text);
  const std::uint64_t b = is_short ? 0 : load<std::uint64_t>(text + bytes - 8);
  std::uint64_t x = (a ^ bytes) * kTextHash1;
  x ^= x >> 29;
  x = (x ^ b) * kTextHash2;
  return x;
}
inline std::size_t text_slot(const std::byte* text, std::size_t bytes) {
  return text_hash(text, bytes) >> 56;
}

// An entry of the writer's text history.
struct KnownText {
  const std::byte* data = nullptr;
  std::uint64_t key = 0;  // 0: nothing

  // Length and hash in one: texts with different keys need no comparison. `bytes` is not 0.
  static std::uint64_t key_of(std::uint64_t hash, std::size_t bytes) { return hash << 24 | bytes; }
};
static_assert(shm::kMaxRecordBytes < 1U << 24);

}  // namespace ringside::trace
