// How SegmentSession ends: the rest is drained, everything is written, and the segment is released.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "consumerd/session/segment_session.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside::consumer {
namespace {

constexpr int kMostLossBlocks = 64;

}  // namespace

void SegmentSession::begin_end(trace::EndReason reason) {
  if (ending()) return;
  progress_ = Progress::kEnding;
  end_reason_ = reason;
}

// A snapshot that takes longer than a turn would otherwise never be complete. A file that cannot be
// written would only delay the end.
bool SegmentSession::can_end_turn(std::chrono::steady_clock::time_point now,
                                  std::chrono::steady_clock::duration turn) const {
  return !ending() && !stalled() && snapshots_.stage() == SnapshotReader::Stage::kNone &&
         now - served_since_ >= turn;
}

void SegmentSession::end_turn() {
  begin_end(trace::EndReason::kConsumerEnded);
  turn_over_ = true;
}

BetweenTurns SegmentSession::between_turns() const {
  return {rotation_.section_start(), rotation_.is_requested(), snapshots_.is_wanted(), was_alive_};
}

void SegmentSession::resume(const BetweenTurns& before) {
  resumed_ = true;
  if (begun_) rotation_.continue_section(before.section_start);
  if (before.rotation_requested) rotation_.request();
  if (before.snapshot_wanted) request_snapshot();
  was_alive_ = was_alive_ || before.was_alive;
}

SegmentSession::End SegmentSession::try_end() {
  if (progress_ != Progress::kFinished) {
    if (!is_writable(std::chrono::steady_clock::now())) return End::kStalled;
    const Drained drained = finish();
    if (drained == Drained::kShare) return End::kWriting;
    if (drained == Drained::kNoSpace) return End::kNoSpace;
    progress_ = Progress::kFinished;
  }
  if (!file_->advance()) return End::kNoSpace;
  if (file_->all_written()) return End::kOver;
  return file_->stalled() ? End::kStalled : End::kWriting;
}

SegmentSession::Drained SegmentSession::finish() {
  if (!begun_ && !begin_section()) return Drained::kNoSpace;
  // Before the last check of the rings: a service that continues to run records from here on.
  const std::uint64_t watermark_tsc = shm::read_tsc();
  follow_rings();
  if (!follow_rules()) return Drained::kNoSpace;
  const bool service_ended = end_reason_ == trace::EndReason::kServiceEnded;
  if (service_ended) {
    for (RingDrain& ring : rings_) ring.publish_nested();
  }
  if (overwritten_ && service_ended) {
    if (!check_overwritten(kAll, nullptr)) return Drained::kNoSpace;
    const Drained last = take_last_snapshot(watermark_tsc);
    if (last != Drained::kAll) return last;
  }
  const std::uint64_t before = counts_.ring_bytes;
  for (RingDrain& ring : rings_) {
    if (overwritten_ && !service_ended) break;
    if (!overwritten_) {
      const std::uint64_t taken = counts_.ring_bytes - before;
      if (taken >= share_bytes_) return Drained::kShare;
      const RingDrain::Result drained = ring.drain(share_bytes_ - taken, drain_way());
      if (drained == RingDrain::Result::kMore) return Drained::kShare;
      if (drained == RingDrain::Result::kNoSpace) return Drained::kNoSpace;
    }
    if (ring.book_final_drops(drain_way(), service_ended) == RingDrain::Result::kNoSpace) {
      return Drained::kNoSpace;
    }
  }
  if (turn_over_ && !steer_at_end(watermark_tsc)) return Drained::kNoSpace;
  losses_.check_again();
  // All counters take fewer blocks than this, unless the service keeps changing them.
  for (int block = 0; block == 0 || (losses_.has_more() && block < kMostLossBlocks); ++block) {
    if (!report_losses()) return Drained::kNoSpace;
  }
  if (!points_.write(watermark_tsc, rings_, *file_)) return Drained::kNoSpace;
  file_->finish(rotation_.section_end(end_reason_, counts_));
  return Drained::kAll;
}

// The next session of the segment continues from here, and may be as short as this one.
bool SegmentSession::steer_at_end(std::uint64_t watermark_tsc) {
  if (overwritten_) return clock_->steer(*file_, rings_);  // the rings keep their records
  clock_->drained_until(watermark_tsc);
  return clock_->write_if_old(*file_, rings_);
}

SegmentSession::Drained SegmentSession::take_last_snapshot(std::uint64_t watermark_tsc) {
  if (snapshots_.last_is_taken()) return Drained::kAll;
  if (snapshots_.stage() == SnapshotReader::Stage::kNone) {
    const bool anything = std::any_of(rings_.begin(), rings_.end(),
                                      [](const RingDrain& ring) { return ring.has_data(); });
    if (!anything) {
      snapshots_.begin_empty(counts_);
    } else if (!begin_snapshot(watermark_tsc)) {
      return Drained::kNoSpace;
    }
  }
  return drained_of(snapshots_.read_last(rings_, share_bytes_, drain_way(), *file_));
}

void SegmentSession::leave() {
  shm::ConsumerLine& line = segment_->control().consumer;
  flush_.answer(file_->written());
  snapshots_.answer_last(counts_);
  std::memset(line.staging_uuid, 0, sizeof line.staging_uuid);
  segment_->publish_state(turn_over_ ? shm::ConsumerState::kBetweenTurns
                                     : shm::ConsumerState::kDetached);
  // A truncated segment is of no use, and no consumer would be there to remove it when its service
  // ends.
  const bool ended = end_reason_ == trace::EndReason::kServiceEnded;
  if (!ended && !truncated()) return;
  if (segment_->unlink_file()) return;
  log_.error("cannot remove " + segment_->path() + ": " + error_text(errno) +
                 "; all its records are written, its owner can remove it; use a --shm-dir that is "
                 "writable for the group and has no sticky bit",
             {{"segment", name()}});
  // A service that seems killed may be a process that has only lost its lock, and still needs the
  // memory.
  if (ended && segment_->service_has_closed()) segment_->give_memory_back();
}

}  // namespace ringside::consumer
