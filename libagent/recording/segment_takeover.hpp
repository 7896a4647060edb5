#pragma once
// What a segment takes over from the one that it replaces.

#include "libagent/recording/agent.hpp"

namespace ringside {

// Copies the statements with their ids and switches, and the settings in force. False without
// memory. Lock held.
bool take_over(const Agent& agent, const Segment& from, Segment& to);

}  // namespace ringside
