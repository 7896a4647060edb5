// The expiry time of a key from a time span that a client gives.
#pragma once

#include <cstdint>
#include <optional>

#include "libagent/examples/kvd/store.hpp"

namespace kvd {

// The time `amount` units from now; empty if it does not fit.
[[nodiscard]] inline std::optional<TimeMs> time_after(TimeMs now_ms, std::int64_t amount,
                                                      std::int64_t unit_ms) {
  TimeMs at_ms = 0;
  if (__builtin_mul_overflow(amount, unit_ms, &at_ms)) return std::nullopt;
  if (__builtin_add_overflow(at_ms, now_ms, &at_ms)) return std::nullopt;
  // The largest time means "never", so it cannot be requested.
  if (at_ms == kNever) return std::nullopt;
  return at_ms;
}

}  // namespace kvd
