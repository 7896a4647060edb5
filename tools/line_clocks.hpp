#pragma once
// The forms that a time may take in a line.

#include "tools/wall_clock_text.hpp"

namespace ringside::tool {

// Not thread-safe: each thread has its own.
struct LineClocks {
  explicit LineClocks(bool utc) : wall(utc) {}

  WallClockText wall;                 // for people: local, or UTC if they want
  WallClockText internet{true, 'T'};  // RFC 3339 in UTC, but for the Z at its end
};

}  // namespace ringside::tool
