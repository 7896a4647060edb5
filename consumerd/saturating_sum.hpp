#pragma once
// Counters that others may have written any value to: their sums do not begin anew at 0.

#include <cstdint>

namespace ringside::consumer {

constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace ringside::consumer
