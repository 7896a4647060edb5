// When a key that a client gives some time from now is to expire.
#pragma once

#include <cstdint>
#include <optional>

#include "libagent/examples/kvd/store.hpp"

namespace kvd {

// `amount` of a unit from now as a time; nothing when it does not fit.
[[nodiscard]] inline std::optional<TimeMs> time_after(TimeMs now_ms, std::int64_t amount,
                                                      std::int64_t unit_ms) {
  TimeMs at_ms = 0;
  if (__builtin_mul_overflow(amount, unit_ms, &at_ms)) return std::nullopt;
  if (__builtin_add_overflow(at_ms, now_ms, &at_ms)) return std::nullopt;
  // The largest time means "never", so it cannot be asked for.
  if (at_ms == kNever) return std::nullopt;
  return at_ms;
}

}  // namespace kvd
