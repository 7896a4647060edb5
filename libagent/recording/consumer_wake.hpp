#pragma once
// Wakes a consumer that sleeps (shm-layout/README.md, "A sleeping consumer"). The record path does
// not know about it: the limit of a thread brings its log calls here once a part of its ring is
// unread.

#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "shm-layout/ring_metadata.hpp"

namespace ringside {

// Wakes a sleeping consumer if a part of the calling thread's ring is unread. Returns the position
// at which to call it again; UINT64_MAX for a ring that is overwritten and for a silent thread. At
// most one system call for each time that the consumer sleeps. Signal-safe.
std::uint64_t check_consumer_sleep(const Segment& segment, const shm::RingMetadata& ring);

// The end for `limit` of a thread whose ring is free up to `space_end`, and that has to check at
// `next_check`.
std::uint64_t end_before_sleep_check(std::uint64_t space_end, std::uint64_t next_check);

// For a call whose record, [start, start + bytes), was reserved: whether it is in the slow path
// only because of that check. Then the check is made, and the reservation is valid. Not for threads
// that measure calls.
bool is_only_to_check_sleep(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc);

// Wakes a sleeping consumer, whatever the rings hold: something else waits for it. Signal-safe.
void wake_consumer(const Segment& segment);

// From now on the calling thread never wakes the consumer, which does not sleep while the thread
// has a ring: its log calls make no system call.
void stop_waking_of_this_thread();

// The calling thread takes ring `index`, or ring `index` has no thread any more.
void note_ring_taken(const Segment& segment, std::uint32_t index);
void note_ring_left(const Segment& segment, std::uint32_t index);

}  // namespace ringside
