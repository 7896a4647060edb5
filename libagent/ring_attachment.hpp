#pragma once
// A thread's hold on a ring: claimed at its first record, retired when the thread ends.

#include <cstddef>
#include <cstdint>

#include "libagent/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

enum class Attached : std::uint8_t {
  kYes,
  kNoRing,    // all are taken, or this is a child in the middle of its parent's log call
  kNoMemory,  // for a segment or for a ring
  kForeign,   // a process made around fork(), which must not touch the segment; counted
  kDisabled,  // tracing is
};

// Gives the calling thread a ring, creating the segment if need be.
Attached attach_ring();
// Why a record has no ring then; kUnknown if it has one or nobody wants to know.
shm::LossCause cause_of(Attached attached);

// Metadata of the calling thread's ring; null if it has none.
shm::RingMetadata* attached_ring();

// Where that ring is mapped (kRingCopies in segment_file.hpp); valid while it has one.
std::byte* attached_base();

// In the child of a fork: drops the calling thread's ring, which is the parent's. If a signal
// handler forked, an interrupted log call of this thread may go on in the child: what it writes
// and publishes then goes to private memory, and until it has ended the thread gets no other ring.
void abandon_ring();

}  // namespace ringside
