#pragma once
// Counts records that a ring had no place for, in the ring. Never on the record path.

#include <atomic>
#include <cstdint>

#include "shm-layout/loss_cause.hpp"
#include "shm-layout/ring_metadata.hpp"

namespace ringside {

// The counter of `cause`, one of shm::kDropCauses.
std::atomic<std::uint64_t>& drops_of(shm::CountersLine& counters, shm::LossCause cause);

// Records of the calling thread's ring are dropped. A drop record precedes the next record.
void count_drop(shm::RingMetadata& ring, shm::LossCause cause, std::uint64_t records = 1);

// Records of the calling thread's ring are abandoned: dropped, and counted without a statement.
void count_abandoned(shm::RingMetadata& ring, std::uint64_t records);

}  // namespace ringside
