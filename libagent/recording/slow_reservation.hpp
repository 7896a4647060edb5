#pragma once
// The part of a reservation's slow path that works in the thread's ring: clock records, loss marks
// and contexts before the record, and the wait for space.

#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "shm-layout/ring_metadata.hpp"

namespace ringside {

// Reserves `bytes` in the ring of the calling thread, which is `ring` of `segment`, for a record of
// time `tsc`. Returns its position, or what rs_dropped() takes.
std::uint64_t reserve_in_ring(Segment& segment, shm::RingMetadata& ring, std::uint64_t bytes,
                              std::uint64_t tsc);

// The next record of this thread begins a lap: the clock record of the present one may be missing.
void begin_lap_next();

}  // namespace ringside
