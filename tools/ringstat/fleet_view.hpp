#pragma once
// ringstat --fleet: the hosts of a fleet, once or live.

#include <atomic>

#include "tools/ringstat/ringstat_options.hpp"

namespace ringside::tool {

// Returns the exit status.
int show_fleet(const RingstatOptions& options, const std::atomic<bool>& stop);

}  // namespace ringside::tool
