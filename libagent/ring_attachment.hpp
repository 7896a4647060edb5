#pragma once
// A thread's hold on a ring: claimed at its first record, retired when the thread ends.

#include "libagent/agent.hpp"

namespace ringside {

// Gives the calling thread a ring, creating the segment if need be. False, and counted, if
// there is neither a reusable ring nor memory for a new one.
bool attach_ring();

// Metadata of the calling thread's ring; null if it has none.
shm::RingMetadata* attached_ring();

// Drops the calling thread's ring without touching it: in a child process it is the parent's.
void forget_ring();

}  // namespace ringside
