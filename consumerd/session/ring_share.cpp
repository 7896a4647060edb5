#include "consumerd/session/ring_share.hpp"

#include <utility>

namespace ringside::consumer {

std::unique_ptr<RingShare> RingShare::create(std::uint32_t number, const Parts& parts,
                                             SlotWriter& writer, std::uint32_t least_sequence,
                                             std::string* why) {
  std::unique_ptr<RingShare> share(new RingShare(number));
  SegmentRings& rings = parts.rings;
  share->file_ = TraceFile::create_beside(
      parts.first_file, writer, least_sequence, parts.front,
      [&rings](const shm::JournalEntry& entry) { rings.written(entry); }, why);
  if (share->file_ == nullptr) return nullptr;
  share->front_bytes_ = share->file_->file_bytes();
  share->dictionary_ = std::make_unique<DictionaryFeed>(parts.dictionary, *share->file_);
  share->encoder_ = std::make_unique<trace::ExtentEncoder>(share->dictionary_->sites());
  share->clock_tsc_ = parts.clock.last().tsc0;
  return share;
}

DrainWay RingShare::way(const DrainWay& of_share_0) {
  return {*file_,           *dictionary_,     *encoder_, of_share_0.pass,
          of_share_0.watch, of_share_0.taker, scratch_,  points_.watermark_tsc(),
          &counts_,         of_share_0.log};
}

bool RingShare::plan(SegmentRings& rings) {
  drained_ = Drained::kAll;
  result_ = {};
  return rings.plan(&turn_);
}

void RingShare::drain(SegmentRings& rings, const SegmentClock& clock, const DrainWay& of_share_0) {
  if (turn_.rings.empty()) return;
  const std::uint64_t before = counts_.file_bytes;
  drained_ = write_clock(clock) ? rings.drain(turn_, way(of_share_0), &result_) : Drained::kNoSpace;
  points_.pending_bytes() += counts_.file_bytes - before;
}

Drained RingShare::drain_rest(SegmentRings& rings, const DrainWay& of_share_0, bool service_ended) {
  const std::uint64_t before = counts_.file_bytes;
  const Drained drained = rings.drain_rest(number(), way(of_share_0), true, service_ended);
  points_.pending_bytes() += counts_.file_bytes - before;
  return drained;
}

// The records of all shares have the same clock. False if staging is full.
bool RingShare::write_clock(const SegmentClock& clock) {
  if (clock_tsc_ == clock.last().tsc0) return true;
  const std::span<std::byte> out = file_->space(256);
  if (out.empty()) return false;
  file_->commit(clock.write_last_points(out));
  clock_tsc_ = clock.last().tsc0;
  return true;
}

std::uint64_t RingShare::watermark(const SegmentRings& rings, std::uint64_t round_tsc) const {
  return drained_ == Drained::kAll
             ? round_tsc
             : rings.complete_until(turn_.share, round_tsc, points_.watermark_tsc());
}

void RingShare::follow(std::span<const RingDrain> rings) {
  for (; followed_ < rings.size(); ++followed_) points_.follow(rings[followed_]);
}

void RingShare::take_over(std::size_t index, RingDrain& ring) {
  ring.move_to(turn_.share);
  points_.take_over(index, ring);
}

bool RingShare::end_round(Clock::time_point now, std::uint64_t watermark_tsc,
                          std::span<const RingDrain> rings, bool flushing) {
  if (result_.ring_bytes > 0) delay_.note_records(now);
  if ((points_.has_pending() || delay_.needs_points(now)) &&
      (flushing || points_.is_due(now, delay_.point_interval())) &&
      !points_.write(watermark_tsc, rings, *file_)) {
    return false;
  }
  if (flushing || delay_.is_over(now, *file_)) file_->seal();
  return true;
}

bool RingShare::write_point(std::uint64_t watermark_tsc, std::span<const RingDrain> rings) {
  return !points_.has_pending() || points_.write(watermark_tsc, rings, *file_);
}

void RingShare::finish(trace::EndReason reason) {
  trace::EndBlock end;
  end.records = counts_.records;
  end.dropped = counts_.dropped;
  end.reason = reason;
  file_->finish(end);
}

}  // namespace ringside::consumer
