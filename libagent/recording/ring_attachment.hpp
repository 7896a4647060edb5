#pragma once
// The attachment of a thread to a ring: claimed at its first record, retired when the thread ends.

#include <cstddef>
#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

enum class Attached : std::uint8_t {
  kYes,
  kNoRing,    // all are taken, or this is a child in the middle of its parent's log call
  kNoMemory,  // no memory for a segment or for a ring
  // a process created without the fork handlers, which must not touch the segment; counted
  kForeign,
  kDisabled,  // tracing is disabled
};

// Gives the calling thread a ring, creating the segment if need be.
Attached attach_ring();
// The cause of a record's loss without a ring; kUnknown if there is a ring or the loss does not
// count.
shm::LossCause cause_of(Attached attached);

// Lets retire_ring() run when the calling thread ends.
void arrange_retirement();

// Metadata of the calling thread's ring; null if it has none.
shm::RingMetadata* attached_ring();
// The segment of that ring; null if the thread never had one.
Segment* attached_segment();
// Within the handler of SIGBUS, for a thread with a ring of a truncated segment: records under way
// are published to a private word, and the next one takes the slow path.
void publish_nowhere(const Segment& truncated);
// Detaches from a ring of a replaced segment, between two records.
void leave_replaced_segment();

// The mapping of that ring (kRingCopies in segment_growth.hpp); valid while the thread has the
// ring.
std::byte* attached_base();

// In the child of a fork: detaches from the calling thread's ring, which is the parent's. If a
// signal handler forked, an interrupted log call of this thread may continue in the child: it then
// writes and publishes to private memory, and until it has ended the thread gets no other ring.
void abandon_ring();

// In such a child: that call was abandoned.
void forget_orphaned_record();

}  // namespace ringside
