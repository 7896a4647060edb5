#pragma once
// ringstat --watch-exit: waits until there is a problem.

#include <atomic>

#include "tools/ringstat/ringstat_options.hpp"

namespace ringside::tool {

// Returns the exit status, and reports the problem on standard output.
int run_status_alert(const RingstatOptions& options, const std::atomic<bool>& stop);

}  // namespace ringside::tool
