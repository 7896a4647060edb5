#pragma once
// How the ticks of one segment become time: in its trace file, and for a successor of this
// consumerd.

#include <chrono>
#include <cstddef>
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

  // Appends a CLOCK block with the present time, and publishes it for a successor. False if staging
  // is full. `rings`: what is drained from them keeps its time.
  bool write(TraceFile& file, std::span<const RingDrain> rings);
  // The same, if the last point of any session is a second old. For the end of a turn: a turn is
  // shorter than the time between two points, and a session that follows another begins without
  // one. Call it when the rings are drained, as a new point requires.
  bool write_if_old(TraceFile& file, std::span<const RingDrain> rings);
  // The first section is in the file: its points are valid. Writes the present time unless the
  // rings may hold records that are older than that.
  void begin(TraceFile& file);

  // CLOCK blocks at the front of the first section, and of a section that continues another one.
  // They return the length in bytes.
  std::size_t write_first_points(std::span<std::byte> out) const;
  std::size_t write_last_points(std::span<std::byte> out) const;

  // Whether the last call of write() is at least `interval` ago.
  bool is_due(std::chrono::steady_clock::duration interval) const {
    return std::chrono::steady_clock::now() - written_ >= interval;
  }

 private:
  void resume();
  void publish(const trace::ClockPoint& point);

  AttachedSegment& segment_;
  trace::ClockSteering steering_;
  trace::ClockPoint before_;  // the point before steering_.last()
  const bool same_boot_;
  std::chrono::steady_clock::time_point written_;
};

}  // namespace ringside::consumer
