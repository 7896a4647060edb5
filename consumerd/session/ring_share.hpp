#pragma once
// A share of a segment's rings that another encoder thread drains, with a file of its own.
//
// While a segment is divided, each of its rings belongs to one share. Share 0 is that of the
// session itself, and has the trace's first file; this class is one of the others. A share's file
// is a file of the trace like any other, but has a higher number than all before it, and a section
// that has only streams of its rings. So a ring may come to it from share 0 at any time, and leaves
// it when all rings come back to share 0, in a new file (ring_shares.hpp).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consumerd/configuration/rotation_policy.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/session/segment_clock.hpp"
#include "consumerd/session/segment_rings.hpp"
#include "consumerd/session/sequence_points.hpp"
#include "consumerd/session/write_delay.hpp"
#include "consumerd/write/slot_writer.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::consumer {

// drain() may run in the share's thread. Everything else is for the poll loop, between two rounds.
class RingShare {
 public:
  using Clock = std::chrono::steady_clock;

  // What it has in common with share 0.
  struct Parts {
    const TraceFile& first_file;
    const DictionaryFeed& dictionary;
    const SegmentClock& clock;
    SegmentRings& rings;
    SectionFront front;  // of the new file
  };
  // `number`: of the share, which is also that of its thread and of `writer`. `least_sequence`: of
  // its file. Null with `*why` if that cannot be created.
  static std::unique_ptr<RingShare> create(std::uint32_t number, const Parts& parts,
                                           SlotWriter& writer, std::uint32_t least_sequence,
                                           std::string* why);

  std::uint32_t number() const { return turn_.share; }
  TraceFile& file() { return *file_; }
  const TraceFile& file() const { return *file_; }
  const DrainCounts& counts() const { return counts_; }

  // A round: the poll loop selects the rings, the share's thread drains them.
  bool plan(SegmentRings& rings);
  std::uint64_t planned_bytes() const { return turn_.unread_bytes; }
  void drain(SegmentRings& rings, const SegmentClock& clock, const DrainWay& of_share_0);
  Drained drained() const { return drained_; }
  const RoundResult& result() const { return result_; }
  // The time up to which the file has everything after that round.
  std::uint64_t watermark(const SegmentRings& rings, std::uint64_t round_tsc) const;

  // At the end: what is left, and the losses after it.
  Drained drain_rest(SegmentRings& rings, const DrainWay& of_share_0, bool service_ended);
  // Losses of streams that have ended.
  void book_final_drops(SegmentRings& rings, const DrainWay& of_share_0) {
    rings.book_final_drops(number(), way(of_share_0));
  }

  // Rings that the service has begun to use since the last call.
  void follow(std::span<const RingDrain> rings);
  void take_over(std::size_t index, RingDrain& ring);

  void begin_round(Clock::time_point now) { delay_.begin_round(now, *file_); }
  // Appends a sequence point if one is due, and seals what has waited long enough. False if staging
  // is full.
  bool end_round(Clock::time_point now, std::uint64_t watermark_tsc,
                 std::span<const RingDrain> rings, bool flushing);
  // A point, if anything was appended since the last one. False if staging is full.
  bool write_point(std::uint64_t watermark_tsc, std::span<const RingDrain> rings);
  bool is_followed() const { return delay_.is_followed(); }
  bool is_full(const RotationPolicy& policy, Clock::duration age) const {
    return counts_.records > 0 && policy.is_due(file_->file_bytes(), front_bytes_, age);
  }
  Clock::time_point next_write() const {
    return std::min(delay_.end(*file_), file_->sync().next_due());
  }

  // A flush covers everything sealed so far.
  void mark_flush() { flush_mark_ = file_->sealed(); }
  bool flush_is_written() const { return file_->written() >= flush_mark_; }

  // Its file gets its end: nothing may be drained to it afterwards.
  void finish(trace::EndReason reason);

 private:
  explicit RingShare(std::uint32_t number) : points_(number) { turn_.share = number; }
  // The same as `of_share_0`, but to its own file.
  DrainWay way(const DrainWay& of_share_0);
  bool write_clock(const SegmentClock& clock);

  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<DictionaryFeed> dictionary_;
  std::unique_ptr<trace::ExtentEncoder> encoder_;
  SequencePoints points_;
  std::size_t followed_ = 0;  // rings that `points_` knows
  WriteDelay delay_;
  RingTurn turn_;
  std::vector<std::byte> scratch_;
  DrainCounts counts_;
  std::uint64_t clock_tsc_ = 0;  // of the last CLOCK block
  std::uint64_t front_bytes_ = 0;
  std::uint64_t flush_mark_ = 0;
  // Of the last round.
  Drained drained_ = Drained::kAll;
  RoundResult result_;
};

}  // namespace ringside::consumer
