#pragma once
// The buckets of histograms of the cost of log calls.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ringside::shm {

// One bucket each for 0, 1, 2 and 3 ticks, then four to each power of two; the last bucket holds
// everything from 5 * 2^30 ticks.
inline constexpr std::size_t kCostBuckets = 126;

constexpr std::size_t cost_bucket(std::uint64_t ticks) {
  if (ticks < 4) return static_cast<std::size_t>(ticks);
  const auto exponent = static_cast<std::size_t>(std::bit_width(ticks)) - 1;
  const std::size_t bucket = 4 * (exponent - 1) + (ticks >> (exponent - 2)) % 4;
  return bucket < kCostBuckets ? bucket : kCostBuckets - 1;
}

// The fewest ticks of a bucket. For kCostBuckets: where the last bucket would end.
constexpr std::uint64_t cost_bucket_begin(std::size_t bucket) {
  if (bucket < 4) return bucket;
  return (std::uint64_t{4} + bucket % 4) << (bucket / 4 - 1);
}

static_assert(cost_bucket(3) == 3 && cost_bucket(4) == 4 && cost_bucket(7) == 7);
static_assert(cost_bucket(8) == 8 && cost_bucket(9) == 8 && cost_bucket(10) == 9);
static_assert(cost_bucket_begin(8) == 8 && cost_bucket_begin(9) == 10);
static_assert(cost_bucket_begin(kCostBuckets - 1) == std::uint64_t{5} << 30);
static_assert(cost_bucket(UINT64_MAX) == kCostBuckets - 1);

}  // namespace ringside::shm
