#pragma once
// Converts the ticks of a NetTrace file to Unix time.

#include <cstdint>
#include <optional>
#include <string>

#include "tools/interop/nettrace/nettrace_format.hpp"

namespace ringside::tool::nettrace {

class Clock {
 public:
  Clock() = default;

  // Empty with `*why` if the trace object has no valid time.
  static std::optional<Clock> of(const TraceFacts& trace, std::string* why);

  std::int64_t sync_unix_ns() const { return sync_ns_; }

  // A time before 1970 or after 2262, which a trace cannot have, becomes the nearest valid one and
  // sets `*moved`.
  std::uint64_t unix_ns(std::uint64_t timestamp, bool* moved) const {
    const auto ticks = static_cast<std::int64_t>(timestamp - static_cast<std::uint64_t>(sync_qpc_));
    std::int64_t ns = 0;
    if (whole_ns_ != 0) {
      if (__builtin_mul_overflow(ticks, whole_ns_, &ns)) return far(ticks, moved);
    } else {
      __extension__ using Wide = __int128;
      const Wide product = Wide{ticks} * 1'000'000'000;
      Wide quotient = product / frequency_;
      if (product % frequency_ < 0) --quotient;
      if (quotient > INT64_MAX || quotient < INT64_MIN) return far(ticks, moved);
      ns = static_cast<std::int64_t>(quotient);
    }
    std::int64_t unix_ns = 0;
    if (__builtin_add_overflow(ns, sync_ns_, &unix_ns) || unix_ns < 0) return far(ticks, moved);
    return static_cast<std::uint64_t>(unix_ns);
  }

 private:
  static std::uint64_t far(std::int64_t ticks, bool* moved) {
    *moved = true;
    return ticks < 0 ? 0 : static_cast<std::uint64_t>(INT64_MAX);
  }

  std::int64_t sync_ns_ = 0;
  std::int64_t sync_qpc_ = 0;
  std::int64_t frequency_ = 1;
  std::int64_t whole_ns_ = 0;  // of a tick, if it is a whole number
};

}  // namespace ringside::tool::nettrace
