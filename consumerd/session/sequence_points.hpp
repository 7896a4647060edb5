#pragma once
// Sequence points of a trace: how many records of each stream the file has, and up to which time it
// is complete.

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {

class SequencePoints {
 public:
  // Of the file of one share (ring_share.hpp): it has the records of the rings of that share.
  explicit SequencePoints(std::uint32_t share = 0) : share_(share) {}

  // Rings are followed in the order of their indices. What such a ring has at first is in no point.
  void follow(const RingDrain& ring) { positions_.push_back(position_of(ring)); }
  // The ring has come from another share. What it had before is in the points of that.
  void take_over(std::size_t index, const RingDrain& ring) {
    positions_[index] = position_of(ring);
  }

  // Appends a point: everything older than `watermark_tsc` is in the file. False if staging is
  // full. `rings`: those that are followed.
  bool write(std::uint64_t watermark_tsc, std::span<const RingDrain> rings, TraceFile& file);

  // Bytes appended since the last point.
  std::uint64_t& pending_bytes() { return pending_bytes_; }
  bool has_pending() const { return pending_bytes_ > 0; }
  // Whether enough bytes, or the time `interval`, separate `now` from the last point.
  bool is_due(std::chrono::steady_clock::time_point now,
              std::chrono::steady_clock::duration interval) const;

  // That of the last point in the present section; 0: there is none.
  std::uint64_t watermark_tsc() const { return watermark_tsc_; }
  void begin_section() { watermark_tsc_ = 0; }

 private:
  static trace::StreamPosition position_of(const RingDrain& ring) {
    return {ring.cursor().stream_id, ring.cursor().next_sequence};
  }

  const std::uint32_t share_;
  std::vector<trace::StreamPosition> positions_;  // by ring, in the last point
  std::vector<trace::StreamPosition> moved_;      // for the point that is written
  std::uint64_t watermark_tsc_ = 0;
  std::uint64_t pending_bytes_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace ringside::consumer
