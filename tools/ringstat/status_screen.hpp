#pragma once
// ringstat's interactive screens: services, the threads of one, its statements.

#include <atomic>
#include <string>

#include "tools/ringstat/ringstat_options.hpp"

namespace ringside::tool {

// Runs until the user quits or `stop` is set. False with `*why` if there is no suitable terminal,
// or the segments' directory cannot be read.
bool run_status_screen(const RingstatOptions& options, const std::atomic<bool>& stop,
                       std::string* why);

}  // namespace ringside::tool
