// The meaning of the 4-bit argument tags: the tables under "Argument tags" in README.md, the
// reader's half.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/codec/read_plan.hpp"

namespace ringside::trace {

// Masks of the low bytes of a word, by their number.
inline constexpr std::array<std::uint64_t, 9> kByteMasks = {
    0,
    0xFF,
    0xFFFF,
    0xFFFFFF,
    0xFFFFFFFF,
    0xFFFFFFFFFF,
    0xFFFFFFFFFFFF,
    0xFFFFFFFFFFFFFF,
    ~std::uint64_t{0},
};

// An integer of any tag, without a branch: with `raw` the 8 bytes at its position, the value is
// ((raw & mask) ^ complement) + (previous & relative) + bias.
struct IntegerTag {
  std::uint64_t mask = 0;
  std::uint64_t complement = 0;  // 0 or all ones
  std::uint64_t relative = 0;    // 0 or all ones
  std::uint32_t bias = 0;
  std::uint32_t bytes = 0;

  std::uint64_t value(std::uint64_t raw, std::uint64_t previous) const {
    return ((raw & mask) ^ complement) + (previous & relative) + bias;
  }
};

inline constexpr std::array<IntegerTag, 16> kIntegerTags = [] {
  std::array<IntegerTag, 16> tags{};
  constexpr std::uint64_t kYes = ~std::uint64_t{0};
  tags[kTagSame] = {0, 0, kYes, 0, 0};
  for (std::uint32_t n = 1; n <= 8; ++n) tags[n] = {kByteMasks[n], 0, 0, 0, n};
  for (std::uint32_t n = 1; n <= 4; ++n) tags[kTagComplement + n] = {kByteMasks[n], kYes, 0, 0, n};
  tags[kTagUp1] = {kByteMasks[1], 0, kYes, 1, 1};
  tags[kTagDown1] = {kByteMasks[1], kYes, kYes, 0, 1};  // previous + ~d is previous - 1 - d
  tags[kTagUp2] = {kByteMasks[2], 0, kYes, 1, 2};
  return tags;
}();

// IntegerTag::bytes of all tags, 4 bits each.
inline constexpr std::uint64_t kIntegerLengths = [] {
  std::uint64_t lengths = 0;
  for (std::size_t tag = 0; tag < 16; ++tag) {
    lengths |= std::uint64_t{kIntegerTags[tag].bytes} << (4 * tag);
  }
  return lengths;
}();

// The number of bytes that follow, by coding (those of fixed length come first) and tag.
inline constexpr std::array<std::array<std::uint8_t, 16>, 5> kTagLengths = [] {
  std::array<std::array<std::uint8_t, 16>, 5> lengths{};
  for (auto& row : lengths) row.fill(kNoSuchTag);
  const auto row = [&lengths](Coding coding) -> std::array<std::uint8_t, 16>& {
    auto& of_coding = lengths[static_cast<std::size_t>(coding)];
    of_coding[kTagSame] = 0;
    return of_coding;
  };
  auto& integer = row(Coding::kInteger);
  for (std::size_t tag = 0; tag < 16; ++tag) {
    integer[tag] = static_cast<std::uint8_t>(kIntegerTags[tag].bytes);
  }
  auto& float32 = row(Coding::kFloat32);
  for (std::uint8_t n = 1; n <= 4; ++n) float32[n] = n;
  auto& float64 = row(Coding::kFloat64);
  for (std::uint8_t n = 1; n <= 8; ++n) float64[n] = n;
  float64[kTagNumberSlot] = 1;
  auto& integer128 = row(Coding::kInteger128);
  for (std::uint8_t n = 1; n <= 8; ++n) integer128[n] = n;
  for (std::uint8_t n = 1; n <= 4; ++n) integer128[kTagComplement + n] = n;
  integer128[kTagWhole128] = 16;
  row(Coding::kFloat80)[1] = 10;
  return lengths;
}();

static_assert(!is_variable(static_cast<Coding>(kTagLengths.size() - 1)) &&
              is_variable(static_cast<Coding>(kTagLengths.size())));

}  // namespace ringside::trace
