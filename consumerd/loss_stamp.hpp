#pragma once
// Whether a service has lost anything since the last look, without a look at each of its
// statements.

#include <cstdint>

#include "consumerd/attached_segment.hpp"

namespace ringside::consumer {

// Changes if any thread has lost or cut a record. A log call counts for its statement last: what
// the statements say may follow a moment later.
std::uint64_t loss_stamp_of_rings(AttachedSegment& segment);

}  // namespace ringside::consumer
