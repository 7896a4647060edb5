#pragma once
// How the ticks of one segment become time: in its trace file, and for a successor of this
// consumerd.
//
// A new file and a successor begin with the last two steps. They must give all records that are
// still in the rings the same time as this consumerd does: otherwise the last record that it wrote
// and the next one could change their order. So the next step waits until everything older than the
// last one is in the file.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/blocks/clock_map.hpp"

namespace ringside::consumer {

// The segment's clock must have a frequency.
class SegmentClock {
 public:
  // Continues where the previous consumer stopped.
  explicit SegmentClock(AttachedSegment& segment);

  // Everything older than this is in the file.
  void drained_until(std::uint64_t tsc) { drained_tsc_ = std::max(drained_tsc_, tsc); }

  // Appends a CLOCK block with the present time, and publishes it for a successor, unless the rings
  // may hold records that are older than the last one. False if staging is full. `rings`: what is
  // drained from them keeps its time.
  bool write(TraceFile& file, std::span<const RingDrain> rings);
  // The same, if the last point of any session is a second old. For the end of a turn (a turn is
  // shorter than the time between two points, and a session that follows another begins without
  // one) and of a snapshot. Call it when the rings are drained.
  bool write_if_old(TraceFile& file, std::span<const RingDrain> rings);
  // For rings that are overwritten, between snapshots: they may hold records of any age. Appends
  // the last CLOCK block again with a better rate if no record so far has a time by it; otherwise
  // the same as write_if_old().
  bool steer(TraceFile& file, std::span<const RingDrain> rings);
  // The first section is in the file: its points are valid. Writes the present time unless the
  // rings may hold records that are older than that.
  void begin(TraceFile& file);

  // CLOCK blocks at the front of the first section, and of a section that continues another one.
  // They return the length in bytes.
  std::size_t write_first_points(std::span<std::byte> out) const;
  std::size_t write_last_points(std::span<std::byte> out) const;

  // The last two points.
  const trace::ClockPoint& before() const { return before_; }
  trace::ClockPoint last() const { return steering_.last(); }

  // Whether the last point was written or corrected at least `interval` ago.
  bool is_due(std::chrono::steady_clock::duration interval) const {
    return std::chrono::steady_clock::now() - written_ >= interval;
  }

 private:
  void resume();
  void publish(const trace::ClockPoint& point);
  static std::uint64_t newest_tsc(std::span<const RingDrain> rings);

  AttachedSegment& segment_;
  trace::ClockSteering steering_;
  trace::ClockPoint before_;  // the point before steering_.last()
  std::uint64_t drained_tsc_ = 0;
  const bool same_boot_;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace ringside::consumer
