// Converts ticks to time for many time stamps that mostly are close together.
#pragma once

#include <cstdint>

#include "trace-format/blocks/clock_map.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

// Caches the CLOCK block of the last time stamp. `clocks` must outlive it unchanged and must not be
// empty.
class TickClock {
 public:
  TickClock() = default;
  explicit TickClock(const ClockMap& clocks) : clocks_(&clocks) {}

  std::uint64_t unix_ns(std::uint64_t tsc) {
    if (tsc < from_ || tsc > to_) [[unlikely]] {
      find(tsc);
    }
    const std::uint64_t ticks = tsc - point_.tsc0;
    if (ticks >> 63 != 0) [[unlikely]] {
      return point_.unix_ns(tsc);
    }
    const UInt128 ns = UInt128{ticks} * point_.ns_per_tick >> kClockFractionBits;
    return point_.unix_ns0 + static_cast<std::uint64_t>(ns);
  }

 private:
  void find(std::uint64_t tsc);

  const ClockMap* clocks_ = nullptr;
  ClockPoint point_;
  std::uint64_t from_ = 1;  // where the cached block applies: [from, to]; nowhere at first
  std::uint64_t to_ = 0;
};

}  // namespace ringside::trace
