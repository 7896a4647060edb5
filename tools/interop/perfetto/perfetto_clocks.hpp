#pragma once
// The clocks of a Perfetto trace, and the conversion of their times to Unix time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "tools/interop/perfetto/perfetto_fields.hpp"

namespace ringside::tool::perfetto {

struct Clock {
  std::uint64_t offset = 0;  // added to its nanoseconds, modulo 2^64
  std::uint64_t unit_ns = 1;
  std::uint64_t last = 0;  // nanoseconds, of an incremental clock
  bool is_known = false;
  bool is_incremental = false;
};

// Clocks of one sequence: 64 to 127.
using SequenceClocks = std::unordered_map<std::uint32_t, Clock>;

// REALTIME is Unix time. The relation of BOOTTIME (or of its substitute) to Unix time in the first
// snapshot holds for the whole trace, so that durations do not change when Unix time was adjusted;
// each further snapshot relates the other clocks to it. Not thread-safe.
class Clocks {
 public:
  // Takes a ClockSnapshot of a packet of the sequence. False if it is invalid.
  bool take(std::string_view snapshot, SequenceClocks& own);

  // Empty: no snapshot contains this clock, which belongs to a sequence. `clock` 0: the trace's.
  std::optional<std::uint64_t> unix_ns(std::uint64_t timestamp, std::uint32_t clock,
                                       SequenceClocks& own);

  // The number to add to times of BOOTTIME, if known; else 0.
  std::uint64_t boottime_offset() const {
    const auto found = clocks_.find(clock_snapshot::kBoottime);
    return found == clocks_.end() ? 0 : found->second.offset;
  }

  // Whether a snapshot contained Unix time.
  bool knows_unix_time() const { return knows_unix_time_; }
  // Whether times were returned without that.
  bool has_guessed() const { return has_guessed_; }

 private:
  static constexpr std::size_t kMostClocks = 1024;

  Clock* find(std::uint32_t clock, SequenceClocks& own);

  std::unordered_map<std::uint32_t, Clock> clocks_;
  std::uint32_t primary_ = clock_snapshot::kBoottime;
  bool knows_unix_time_ = false;
  bool has_guessed_ = false;
};

}  // namespace ringside::tool::perfetto
