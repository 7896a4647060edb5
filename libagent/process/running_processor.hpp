#pragma once
// The processor that the calling thread runs on.

#include <cstdint>

namespace ringside {

// The code of the processor (shm-layout/record_head.hpp), 0 if it cannot be found without a system
// call. Signal-safe; the thread may run on another one when this returns.
std::uint32_t running_processor();

}  // namespace ringside
