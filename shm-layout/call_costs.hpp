#pragma once
// The cost of the log calls of one ring: a histogram of the measured calls, about one in
// SegmentHeader::cost_sampling. One entry per ring, with the same index as the ring metadata. Only
// in segments whose service was asked to measure.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cost_buckets.hpp"
#include "segment_header.hpp"

namespace ringside::shm {

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

}  // namespace ringside::shm
