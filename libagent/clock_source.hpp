#pragma once
// What the record clock counts, and how fast.

#include <cstdint>

namespace ringside {

// All clocks of one instant, as nearly as they can be read.
struct ClockReading {
  std::uint64_t tsc;
  std::uint64_t monotonic_ns;
  std::uint64_t realtime_ns;
};

ClockReading read_clocks();

// Ticks of rs_clock() per second: what the processor or hypervisor says, else measured against
// CLOCK_MONOTONIC_RAW for about 2 ms. consumerd refines it for the life of the trace.
std::uint64_t clock_frequency_hz();

}  // namespace ringside
