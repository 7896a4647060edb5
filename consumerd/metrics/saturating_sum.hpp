#pragma once
// Sums of counters to which a service can write any value: they saturate instead of wrapping to 0.

#include <cstdint>

namespace ringside::consumer {

constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace ringside::consumer
