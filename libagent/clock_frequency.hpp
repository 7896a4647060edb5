#pragma once
// How fast the record clock runs.

#include <cstdint>

namespace ringside {

// Ticks of rs_clock() per second: what the processor or hypervisor says, else measured against
// CLOCK_MONOTONIC_RAW for about 2 ms. consumerd refines it for the life of the trace.
std::uint64_t clock_frequency_hz();

}  // namespace ringside
