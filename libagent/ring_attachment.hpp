#pragma once
// A thread's hold on a ring: claimed at its first record, retired when the thread ends.

#include <cstddef>

#include "libagent/agent.hpp"

namespace ringside {

// Gives the calling thread a ring, creating the segment if need be. False, and counted, if
// there is neither a reusable ring nor memory for a new one.
bool attach_ring();

// Metadata of the calling thread's ring; null if it has none.
shm::RingMetadata* attached_ring();

// Where that ring is mapped (kRingCopies in segment_file.hpp); valid while it has one.
std::byte* attached_base();

// In the child of a fork: drops the calling thread's ring, which is the parent's. If a signal
// handler forked, an interrupted log call of this thread may go on in the child: what it writes
// and publishes then goes to private memory, and until it has ended the thread gets no other ring.
void abandon_ring();

}  // namespace ringside
