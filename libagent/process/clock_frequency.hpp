#pragma once
// The frequency of the record clock.

#include <cstdint>

namespace ringside {

// Ticks of rs_clock() per second: the value from the processor or hypervisor, or else measured
// against CLOCK_MONOTONIC_RAW for about 2 ms. consumerd refines it during the trace.
std::uint64_t clock_frequency_hz();

}  // namespace ringside
