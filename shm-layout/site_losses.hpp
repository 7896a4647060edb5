#pragma once
// One line of counters per site, indexed by site id: records lost by cause, over all threads.
// Entry 0 counts for statements that have no id.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "loss_cause.hpp"
#include "segment_header.hpp"

namespace ringside::shm {

// Relaxed additions by any thread of the service, off the record path; they never fall. Readers
// subtract two readings to find the losses between them.
struct alignas(kCacheLineBytes) SiteLosses {
  std::array<std::atomic<std::uint64_t>, kSiteCauses.size()> count;  // by site_counter_of(cause)
};

static_assert(offsetof(SiteLosses, count) == 0);
static_assert(sizeof(SiteLosses) == kCacheLineBytes);
static_assert(site_counter_of(LossCause::kRingFull) == 0);
static_assert(site_counter_of(LossCause::kNoConsumer) == 1);
static_assert(site_counter_of(LossCause::kNoRing) == 2);
static_assert(site_counter_of(LossCause::kNoSharedMemory) == 3);
static_assert(site_counter_of(LossCause::kDictionaryFull) == 4);
static_assert(site_counter_of(LossCause::kQuarantined) == 5);
static_assert(site_counter_of(LossCause::kAbandoned) == 6);
static_assert(site_counter_of(LossCause::kTooLarge) == 7);

}  // namespace ringside::shm
