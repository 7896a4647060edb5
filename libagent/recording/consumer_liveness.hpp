#pragma once
// Whether a consumerd is alive that drains this segment, or will drain it.

#include "libagent/recording/agent.hpp"

namespace ringside {

// Checks the consumer's locks: on the segment or, before it has taken the segment, on the presence
// file of the directory (shm-layout/consumer_presence.hpp). Takes some system calls, leaves nothing
// open, and may be used in signal handlers. Also false if neither file can be opened (another root,
// no descriptor left).
bool consumer_holds_lock(const Segment& segment);

}  // namespace ringside
