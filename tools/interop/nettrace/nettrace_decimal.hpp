#pragma once
// .NET's decimal: 96 bits, a power of ten and a sign, in 16 bytes as in memory.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "trace-format/text/value.hpp"

namespace ringside::tool::nettrace {

inline constexpr std::size_t kDecimalBytes = 16;

struct Decimal {
  trace::UInt128 digits = 0;  // below 2^96
  unsigned scale = 0;         // of the digits, how many follow the point: up to 28
  bool is_negative = false;

  // Empty if the 16 bytes are not a decimal: reserved bits are set, or the scale is above 28.
  static std::optional<Decimal> read(std::span<const std::byte> bytes);

  // All digits: "-12.50".
  std::string text() const;
  // The nearest number.
  double number() const;
  // Whether the number's shortest text has the same digits.
  bool fits_number() const;
};

}  // namespace ringside::tool::nettrace
