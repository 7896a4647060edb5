#pragma once
// The cost of the log calls of one ring: a histogram of the measured calls, about one in
// SegmentHeader::cost_sampling. One entry per ring, with the same index as the ring metadata. Only
// in segments whose service was asked to measure.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "segment_header.hpp"

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

// Relaxed additions by the ring's owner, off the record path.
struct CostCounts {
  std::atomic<std::uint64_t> ticks;   // of all measured calls together
  std::atomic<std::uint64_t> waited;  // measured calls that waited for space; included in `count`
  std::array<std::atomic<std::uint64_t>, kCostBuckets> count;  // measured calls, by their cost
};

// `all` never falls: its sum over the rings is that of the service, including ended threads.
// `before` is the value of `all` when the present owner took the ring, stored before the release of
// its `generation`: `all` minus `before` is the present owner's share.
struct alignas(kCacheLineBytes) CallCosts {
  CostCounts all;
  CostCounts before;
};

static_assert(offsetof(CostCounts, ticks) == 0);
static_assert(offsetof(CostCounts, waited) == 8);
static_assert(offsetof(CostCounts, count) == 16);
static_assert(sizeof(CostCounts) == 1024);
static_assert(offsetof(CallCosts, all) == 0);
static_assert(offsetof(CallCosts, before) == 1024);
static_assert(sizeof(CallCosts) == 2048);
static_assert(cost_bucket(3) == 3 && cost_bucket(4) == 4 && cost_bucket(7) == 7);
static_assert(cost_bucket(8) == 8 && cost_bucket(9) == 8 && cost_bucket(10) == 9);
static_assert(cost_bucket_begin(8) == 8 && cost_bucket_begin(9) == 10);
static_assert(cost_bucket_begin(kCostBuckets - 1) == std::uint64_t{5} << 30);
static_assert(cost_bucket(UINT64_MAX) == kCostBuckets - 1);

}  // namespace ringside::shm
