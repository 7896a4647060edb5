#pragma once
// The synchronisation state of the system's clock.

#include "trace-format/blocks/clock_sync.hpp"

namespace ringside::consumer {

// Unknown if the system does not tell, as in some containers.
trace::ClockSync read_clock_sync();

}  // namespace ringside::consumer
