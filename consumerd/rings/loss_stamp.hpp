#pragma once
// Detects whether a service has lost records since the last check, without checking each statement.

#include <cstdint>

#include "consumerd/discover/attached_segment.hpp"

namespace ringside::consumer {

// Changes when any thread has lost or cut a record. A log call updates its statement's counter
// last: the statements' counters may follow a moment later.
std::uint64_t loss_stamp_of_rings(AttachedSegment& segment);

}  // namespace ringside::consumer
