#pragma once

#include <cstdint>
#include <optional>

namespace ringside {

// Ticks of the record clock per second: what the processor declares, or else a measurement since
// the library was loaded, 0.2 ms long at least. A child of fork() uses its parent's. Lock held.
std::uint64_t clock_frequency_hz();

// A better measurement, once: when the first one was short and enough time has passed since. Lock
// held.
std::optional<std::uint64_t> refined_clock_frequency_hz();

}  // namespace ringside
