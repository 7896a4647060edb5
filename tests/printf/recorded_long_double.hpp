#pragma once
// A long double as records keep it: 64 bits of mantissa. On x86-64 it has no more; on AArch64 it
// has 113.

#include <cmath>
#include <limits>

namespace ringside {

inline long double recorded_long_double(long double number) {
  constexpr int kLost = std::numeric_limits<long double>::digits - 64;
  if (kLost == 0 || !std::isfinite(number) || number == 0) return number;
  int exponent = 0;
  const long double digits = std::ldexp(std::frexp(number, &exponent), 64);
  return std::ldexp(std::nearbyint(digits), exponent - 64);
}

}  // namespace ringside
