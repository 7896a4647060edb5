// Codes single argument values: the table under "Argument tags" in README.md, the writer's half.
// Every function appends the bytes at `o`, returns the tag, and may overwrite up to 8 bytes behind
// what it appended: storing 8 bytes and moving on by the length costs less than choosing a width.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "trace-format/format_constants.hpp"
#include "trace-format/little_endian.hpp"

namespace ringside::trace {

// Bytes that `value` needs, at least 1.
inline unsigned significant_bytes(std::uint64_t value) {
  return (71U - static_cast<unsigned>(std::countl_zero(value | 1))) >> 3;
}

// What the bytes behind an integer's tag stand for: with `relative` the distance to the previous
// value less 1, with `complement` all bits turned over (which makes a distance one downwards).
struct IntegerTag {
  std::uint64_t relative;    // 0 or all ones
  std::uint64_t complement;  // 0 or all ones
  std::uint32_t bytes;
};

inline constexpr std::array<IntegerTag, 16> kIntegerTags = [] {
  std::array<IntegerTag, 16> tags{};
  constexpr std::uint64_t kYes = ~std::uint64_t{0};
  for (std::uint32_t n = 1; n <= 8; ++n) tags[n] = {0, 0, n};
  for (std::uint32_t n = 1; n <= 4; ++n) tags[kTagComplement + n] = {0, kYes, n};
  tags[kTagUp1] = {kYes, 0, 1};
  tags[kTagDown1] = {kYes, kYes, 1};
  tags[kTagUp2] = {kYes, 0, 2};
  return tags;
}();

// The shortest tag by what is known of value and distance, see put_integer.
inline constexpr std::array<std::uint8_t, 256> kIntegerTagChoice = [] {
  std::array<std::uint8_t, 256> choice{};
  for (unsigned known = 0; known < 256; ++known) {
    const unsigned bytes = (known & 7) + 1;  // of the value, or of its complement if negative
    const bool negative = (known & 8) != 0;
    const unsigned plain = !negative ? bytes : bytes <= 4 ? kTagComplement + bytes : 8;
    const unsigned length = negative && bytes > 4 ? 8 : bytes;
    unsigned tag = plain;
    if ((known & 64) != 0 && length > 2) tag = kTagUp2;
    if ((known & 32) != 0) tag = kTagDown1;
    if ((known & 16) != 0) tag = kTagUp1;
    if ((known & 128) != 0) tag = kTagSame;
    choice[known] = static_cast<std::uint8_t>(tag);
  }
  return choice;
}();

// 1 if value < limit, else 0; limit is at most 2^63. A comparison would become a branch.
inline std::uint64_t is_below(std::uint64_t value, std::uint64_t limit) {
  return (~value & (value - limit)) >> 63;
}

// `value` and `previous` are extended to 64 bits. Tables instead of branches: which tag a changing
// value needs is what no predictor can know.
inline unsigned put_integer(std::uint64_t value, std::uint64_t previous, std::byte*& o) {
  const std::uint64_t up = value - previous - 1;
  const std::uint64_t down = ~(value - previous);
  const std::uint64_t negative = value >> 63;
  const std::uint64_t folded = value ^ (std::uint64_t{0} - negative);
  const std::uint64_t bytes_less_1 =
      (63U ^ static_cast<unsigned>(std::countl_zero(folded | 1))) >> 3;
  const std::uint64_t known = bytes_less_1 | negative << 3 | is_below(up, 0x100) << 4 |
                              is_below(down, 0x100) << 5 | is_below(up, 0x10000) << 6 |
                              is_below(value ^ previous, 1) << 7;
  const unsigned tag = kIntegerTagChoice[known];
  const IntegerTag& t = kIntegerTags[tag];
  // value; ~value; value - previous - 1; ~(value - previous)
  const std::uint64_t origin = (previous + 1 + t.complement) & t.relative;
  store(o, (value - origin) ^ t.complement);
  o += t.bytes;
  return tag;
}

inline unsigned put_float32(std::uint32_t bits, std::uint32_t previous, std::byte*& o) {
  if (bits == previous) return kTagSame;
  const unsigned length = bits == 0 ? 1U : 4U - static_cast<unsigned>(std::countr_zero(bits)) / 8;
  store(o, bits >> (8 * (4 - length)));
  o += length;
  return length;
}

inline std::size_t number_slot(std::uint64_t bits) {
  return bits * 0x9E3779B97F4A7C15U >> 56;
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
inline std::size_t text_slot(const std::byte* text, std::size_t bytes) {
  const bool is_short = bytes < 8;
  const std::uint64_t a = is_short ? load_bytes(text, bytes) : load<std::uint64_t>(text);
  const std::uint64_t b = is_short ? 0 : load<std::uint64_t>(text + bytes - 8);
  std::uint64_t x = (a ^ bytes) * 0x9E3779B97F4A7C15U;
  x ^= x >> 29;
  x = (x ^ b) * 0xBF58476D1CE4E5B9U;
  return x >> 56;
}

}  // namespace ringside::trace
