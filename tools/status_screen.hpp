#pragma once
// ringstat on the whole terminal: services, the threads of one, its statements.

#include <atomic>
#include <string>

#include "tools/ringstat_options.hpp"

namespace ringside::tool {

// Until the user quits or `stop` is set. False with `*why` if there is no terminal to draw on, or
// the segments' directory cannot be read.
bool run_status_screen(const RingstatOptions& options, const std::atomic<bool>& stop,
                       std::string* why);

}  // namespace ringside::tool
