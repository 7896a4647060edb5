// Converts ticks to wall-clock time with the CLOCK blocks of a section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace-format/blocks/clock_sync.hpp"

namespace ringside::trace {

// unix_ns(t) = unix_ns0 + floor((t - tsc0) * ns_per_tick / 2^40)
struct ClockPoint {
  std::uint64_t tsc0 = 0;
  std::uint64_t unix_ns0 = 0;
  std::uint64_t ns_per_tick = 0;  // 40 fraction bits
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;
  ClockSync sync = {};  // of the system's clock at realtime_ns

  // How far the times by this point can be from the true time: the distance from the system's
  // clock, and that clock's own error. kUnknownClockError if it is not synchronised, or not stated.
  std::uint64_t error_ns() const;
  std::uint64_t unix_ns(std::uint64_t tsc) const;  // modulo 2^64, also for untrusted numbers
  static bool parse(std::span<const std::byte> payload, ClockPoint& point);
};

// ns per tick for `hz`, scaled by 2^40; hz must not be 0.
std::uint64_t ns_per_tick_of(std::uint64_t hz);

class ClockMap {
 public:
  // Points may come in any order; a point with a known tsc0 replaces the old one.
  void add(const ClockPoint& point);
  bool empty() const { return points_.empty(); }
  std::span<const ClockPoint> points() const { return points_; }

  // The index of the point with the largest tsc0 <= tsc; 0 without such a point.
  std::size_t find(std::uint64_t tsc) const;

  // The time by that point; 0 if there are no points.
  std::uint64_t unix_ns(std::uint64_t tsc) const;

  // The larger error of that point and of the next one: between two points it grows. Not for a map
  // without points.
  std::uint64_t error_ns(std::uint64_t tsc) const;

 private:
  std::vector<ClockPoint> points_;  // by rising tsc0
};

// The writer's side: creates CLOCK blocks that join without a step, and steers the tick rate so
// that time follows CLOCK_MONOTONIC from the service's start.
class ClockSteering {
 public:
  // The service's start according to the segment header.
  struct Start {
    std::uint64_t tsc = 0;
    std::uint64_t monotonic_ns = 0;
    std::uint64_t realtime_ns = 0;
    std::uint64_t hz = 0;
  };
  // Readings of the three clocks, taken together.
  struct Now {
    std::uint64_t tsc = 0;
    std::uint64_t monotonic_ns = 0;
    std::uint64_t realtime_ns = 0;
    ClockSync sync = {};
  };

  static constexpr std::uint64_t kMaxSlewPpm = 500;
  static constexpr std::uint64_t kHorizonNs = 1'000'000'000;

  explicit ClockSteering(const Start& start);

  // Continues where the preceding section stopped: `before` and `last` are its last two points (or
  // one point twice). They come from memory that others can write to. Returns false, and changes
  // nothing, if they do not join or their rate is impossible for this clock.
  bool resume(const ClockPoint& before, const ClockPoint& last);

  // For a segment without any section yet: takes the rate from the service's run so far, instead of
  // the frequency in its header.
  void measure(const Now& now);

  // States in first() and last() what is known of the system's clock.
  void set_sync(const ClockSync& sync) { first_.sync = last_.sync = sync; }

  // The blocks that open a section, the same one if there is only one: the start itself at the
  // nominal rate, or the result of resume() or measure().
  ClockPoint first() const { return first_; }
  ClockPoint last() const { return last_; }

  // Ends the correction of the last block, if that is long over by `now`: it would overshoot as
  // many times as the next block comes too late, and a service may be idle for hours. Returns a
  // block that is valid from the end of the correction on; write it before next().
  // `newest_tsc`: of the records written so far, which keep their times.
  std::optional<ClockPoint> settle(const Now& now, std::uint64_t newest_tsc = 0);

  // Corrects the rate of the last block, which keeps its place, if no record that is written is as
  // new as it: as if the rate had been known when the block was written. Returns that block; write
  // it again. `newest_tsc`: of the records written so far.
  std::optional<ClockPoint> adjust(const Now& now, std::uint64_t newest_tsc,
                                   std::uint64_t horizon_ns = kHorizonNs);

  // The next block, valid from `now`. It begins where the preceding one ends and compensates the
  // deviation over `horizon_ns`, at most kMaxSlewPpm away from the measured rate.
  ClockPoint next(const Now& now, std::uint64_t horizon_ns = kHorizonNs);

 private:
  std::uint64_t rate_over_run(const Now& now) const;
  std::uint64_t corrected_rate(const Now& now, std::uint64_t rate, std::uint64_t unix_ns,
                               std::uint64_t within_ns) const;

  ClockPoint first_;
  ClockPoint last_;
  Start start_;
  std::uint64_t nominal_ = 0;           // ns per tick
  std::uint64_t correction_ticks_ = 0;  // how long last_ corrects; 0: it does not
};

}  // namespace ringside::trace
