// Ticks to wall-clock time: the CLOCK blocks of a section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ringside::trace {

// unix_ns(t) = unix_ns0 + floor((t - tsc0) * ns_per_tick / 2^40)
struct ClockPoint {
  std::uint64_t tsc0 = 0;
  std::uint64_t unix_ns0 = 0;
  std::uint64_t ns_per_tick = 0;  // 40 fraction bits
  std::uint64_t monotonic_ns = 0;
  std::uint64_t realtime_ns = 0;

  std::uint64_t unix_ns(std::uint64_t tsc) const;  // modulo 2^64, also for hostile numbers
  static bool parse(std::span<const std::byte> payload, ClockPoint& point);
};

// `hz` as 2^40-scaled ns per tick; hz must not be 0.
std::uint64_t ns_per_tick_of(std::uint64_t hz);

class ClockMap {
 public:
  // In any order; a point with the tsc0 of one that is known replaces it.
  void add(const ClockPoint& point);
  bool empty() const { return points_.empty(); }
  std::span<const ClockPoint> points() const { return points_; }

  // The index of the point with the largest tsc0 <= tsc, or else 0.
  std::size_t find(std::uint64_t tsc) const;

  // By that point; 0 if there is none.
  std::uint64_t unix_ns(std::uint64_t tsc) const;

 private:
  std::vector<ClockPoint> points_;  // by rising tsc0
};

// The writer's side: makes CLOCK blocks that join without a step, and steers the tick rate so that
// time follows CLOCK_MONOTONIC from the service's start.
class ClockSteering {
 public:
  // What the segment header says of the service's start.
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
  };

  static constexpr std::uint64_t kMaxSlewPpm = 500;

  explicit ClockSteering(const Start& start);

  // Goes on where the section before stopped: `before` and `last` are its last two points (or one
  // of them twice). False, and nothing changes, if they do not join or their rate cannot be that of
  // this clock: they come from memory that others can write to.
  bool resume(const ClockPoint& before, const ClockPoint& last);

  // For a segment that nobody has written a section of: with the service's run so far as the
  // measure of the rate, instead of the frequency in its header.
  void measure(const Now& now);

  // The blocks that open a section, the same one if there is only one: the start itself at the
  // nominal rate, or what resume() or measure() made of it.
  ClockPoint first() const { return first_; }
  ClockPoint last() const { return last_; }

  // The next block, valid from `now` on. It begins where the one before ends and makes up for the
  // deviation over `horizon_ns`, at most kMaxSlewPpm away from the measured rate.
  ClockPoint next(const Now& now, std::uint64_t horizon_ns = 1'000'000'000);

 private:
  std::uint64_t rate_over_run(const Now& now) const;

  ClockPoint first_;
  ClockPoint last_;
  Start start_;
  std::uint64_t nominal_ = 0;  // ns per tick
};

}  // namespace ringside::trace
