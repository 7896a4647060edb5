#pragma once
// How long the committed bytes of a trace file wait for more before they are written.

#include <chrono>

#include "consumerd/write/trace_file.hpp"

namespace ringside::consumer {

// The limit is short while a process follows the file (trace-format/README.md, "Followers").
class WriteDelay {
 public:
  using Clock = std::chrono::steady_clock;

  // At the beginning of each round. Checks from time to time whether the file has a follower.
  void begin_round(Clock::time_point now, const TraceFile& file);

  // At the last check. Holds for a second longer, because the next file of a rotation has no
  // follower at first.
  bool is_followed() const { return followed_; }
  // When the unwritten bytes of the file have waited long enough; max() if there are none.
  Clock::time_point end(const TraceFile& file) const;
  // Whether the unwritten bytes of the file have waited long enough, in its slot and in rings.
  bool is_over(Clock::time_point now, const TraceFile& file) const;
  // The round has taken records.
  void note_records(Clock::time_point now) { last_records_ = now; }
  // Whether the file gets sequence points without records: a follower of several files holds back
  // what is newer than the last point of one that has just grown.
  bool needs_points(Clock::time_point now) const;
  // The minimum time between two sequence points.
  Clock::duration point_interval() const;

 private:
  Clock::time_point last_round_{};
  Clock::time_point last_check_{};
  Clock::time_point last_seen_{};
  Clock::time_point last_records_{};
  Clock::duration since_last_{};  // from the round before the present one
  bool followed_ = false;
};

}  // namespace ringside::consumer
