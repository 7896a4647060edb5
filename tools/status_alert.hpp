#pragma once
// ringstat --watch-exit: waits until something is wrong.

#include <atomic>

#include "tools/ringstat_options.hpp"

namespace ringside::tool {

// The exit status; says on standard output what it is.
int run_status_alert(const RingstatOptions& options, const std::atomic<bool>& stop);

}  // namespace ringside::tool
