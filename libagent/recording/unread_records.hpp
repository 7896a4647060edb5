#pragma once
// Records in the rings of a segment that no consumer reads any more: they are counted as lost.

#include "libagent/recording/agent.hpp"

namespace ringside {

bool has_unread_bytes(const shm::RingMetadata& ring);

// Counts the records that are neither read nor counted yet. For a replaced segment also what its
// rings have dropped and refused. Whether records were lost. Lock held; allocates.
bool count_unread_as_lost(Agent& agent, Segment& segment);

}  // namespace ringside
