#pragma once
// Classes of numbers of about equal ratio, without knowing their range beforehand.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ringside::tool {

// Class 0 has zero alone; class c > 0 the positive numbers in [lower, upper), and class -c the
// negative ones of the same size. With `shift` 0, 16 classes make an octave: the bounds of one
// differ by 1/16 at most. Each greater shift joins two of them.
using ValueClass = std::int32_t;

inline constexpr unsigned kValueClassBits = 48;  // of a double that do not matter
inline constexpr unsigned kMostValueShift = 15;

// `value` must be finite.
inline ValueClass value_class(double value, unsigned shift) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t size = bits & ~(std::uint64_t{1} << 63);
  const auto number = static_cast<ValueClass>(size >> kValueClassBits >> shift) +
                      static_cast<ValueClass>(size != 0);
  return bits == size ? number : -number;
}

// The class of greater shift that has all of this one.
inline ValueClass joined_class(ValueClass number, unsigned by) {
  if (number == 0) return 0;
  return number > 0 ? ((number - 1) >> by) + 1 : -(((-number - 1) >> by) + 1);
}

// The size of the number that is nearest to zero; infinite after the last class.
inline double class_lower(ValueClass number, unsigned shift) {
  if (number == 0) return 0;
  const auto at = static_cast<std::uint64_t>((number > 0 ? number : -number) - 1);
  constexpr std::uint64_t kInfinity = 0x7FF0;
  return std::bit_cast<double>(std::min(at << shift, kInfinity) << kValueClassBits);
}

}  // namespace ringside::tool
