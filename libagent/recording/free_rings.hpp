#pragma once
// Finds rings of a segment for a thread. The agent's lock is held for all functions.

#include <cstdint>

#include "libagent/recording/agent.hpp"

namespace ringside {

std::uint32_t current_thread_id();

// A ring whose thread ended and whose last byte and loss have been consumed, or else a new one.
// Rings that are overwritten keep the records of ended threads as long as there are new rings (and
// `new_ones`, memory for them), and are reused in turn after that. Returns ring_count if there is
// none.
std::uint32_t find_ring(Segment& segment, bool new_ones);

// Whether a ring will be free once the consumer has drained it.
bool ring_may_come(const Segment& segment);

// A thread that was not created by pthread_create runs no destructors, so its ring is not retired.
// Asks the kernel about every ring's thread, but at most every 100 ms.
void retire_rings_of_dead_threads(Segment& segment);

}  // namespace ringside
