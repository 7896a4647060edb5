#pragma once
// The formats of a time in a line.

#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::trace {

// Not thread-safe: each thread needs a separate one.
struct LineClocks {
  explicit LineClocks(bool utc) : wall(utc) {}

  WallClockText wall;                 // for people: local time, or UTC on request
  WallClockText internet{true, 'T'};  // RFC 3339 in UTC, without the Z at its end
};

}  // namespace ringside::trace
