// The end of a segment's session: the rest of its rings, the ends of its files, and its leave.

#include "consumerd/session/segment_session.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::steady_clock;

constexpr int kMostLossBlocks = 64;  // of the end

}  // namespace

SegmentSession::End SegmentSession::try_end() {
  if (!end_.is_sealed()) {
    if (!is_writable(steady_clock::now())) return End::kStalled;
    const Drained drained = finish();
    if (drained == Drained::kShare) return End::kWriting;
    if (drained == Drained::kNoSpace) return End::kNoSpace;
    end_.seal();
  }
  file_->tend_sync();
  shares_.begin_round(steady_clock::now());
  if (!file_->advance() || !shares_.advance()) return End::kNoSpace;
  if (file_->all_written() && shares_.all_written()) return End::kOver;
  const bool is_late = file_->sync_is_late() || shares_.sync_is_late();
  return file_->stalled() || shares_.stalled() || is_late ? End::kStalled : End::kWriting;
}

Drained SegmentSession::finish() {
  if (!sections_->begin()) return Drained::kNoSpace;
  // Before the last check of the rings: a service that continues to run records from here on.
  const std::uint64_t watermark_tsc = shm::read_tsc();
  rings_.follow(resumed_, points_);
  collection_.check_at_once();
  if (!follow_rules() || !report_collection(steady_clock::now())) return Drained::kNoSpace;
  taps_.tell_time(*clock_);
  const bool service_ended = end_.is_of_service();
  if (service_ended) rings_.publish_nested();
  if (overwritten_ && service_ended) {
    if (!check_overwritten(UINT64_MAX, nullptr)) return Drained::kNoSpace;
    const Drained last = take_last_snapshot(watermark_tsc);
    if (last != Drained::kAll) return last;
  }
  if (!overwritten_) {
    const Drained drained = drain_at_end(watermark_tsc);
    if (drained != Drained::kAll) return drained;
  }
  if (!overwritten_ || service_ended) {
    const Drained rest = rings_.drain_rest(0, drain_way(), !overwritten_, service_ended);
    if (rest != Drained::kAll) return rest;
    const Drained of_others = shares_.drain_rest(rings_, drain_way(), service_ended);
    if (of_others != Drained::kAll) return of_others;
  }
  if (end_.turn_is_over() && !steer_at_end(watermark_tsc)) return Drained::kNoSpace;
  while (!call_costs_.read_rest()) {
    if (!rings_.takes_all_at_once()) return Drained::kShare;
  }
  losses_.check_again();
  // All counters take fewer blocks than this, unless the service keeps changing them.
  for (int block = 0; block == 0 || (losses_.has_more() && block < kMostLossBlocks); ++block) {
    if (!report_losses()) return Drained::kNoSpace;
  }
  if (!report_call_costs_at_end()) return Drained::kNoSpace;
  if (!shares_.write_points(watermark_tsc, rings_.all())) return Drained::kNoSpace;
  if (!points_.write(watermark_tsc, rings_.all(), *file_)) return Drained::kNoSpace;
  taps_.tell_time(*clock_);
  taps_.finish(end_.reason());
  file_->finish(rotation_.section_end(end_.reason(), counts_));
  shares_.finish(end_.reason());
  return Drained::kAll;
}

// With all threads, if there is enough for them.
Drained SegmentSession::drain_at_end(std::uint64_t watermark_tsc) {
  if (is_divisible()) sections_->spread(pass_.get());
  if (shares_.is_undivided()) return Drained::kAll;
  RoundResult result;
  std::uint64_t of_first = 0;
  std::uint64_t complete = 0;
  const std::uint64_t before = counts_.file_bytes;
  const Drained drained =
      shares_.drain(rings_, *clock_, drain_way(), watermark_tsc, &result, &of_first, &complete);
  points_.pending_bytes() += counts_.file_bytes - before;
  return drained;
}

// The next session of the segment continues from here, and may be as short as this one.
bool SegmentSession::steer_at_end(std::uint64_t watermark_tsc) {
  if (overwritten_) return clock_->steer(*file_, rings_.all());  // the rings keep their records
  clock_->drained_until(watermark_tsc);
  return clock_->write_if_old(*file_, rings_.all());
}

Drained SegmentSession::take_last_snapshot(std::uint64_t watermark_tsc) {
  if (snapshots_.last_is_taken()) return Drained::kAll;
  if (snapshots_.stage() == SnapshotReader::Stage::kNone) {
    if (!rings_.has_data()) {
      snapshots_.begin_empty(counts_);
    } else if (!begin_snapshot(watermark_tsc)) {
      return Drained::kNoSpace;
    }
  }
  return drained_of(snapshots_.read_last(rings_.all(), rings_.share_bytes(), drain_way(), *file_));
}

void SegmentSession::leave() {
  flush_.answer(*file_, shares_);
  snapshots_.answer_last(counts_);
  leave_segment(*segment_, end_.turn_is_over());
  // A truncated segment is of no use, and no consumer would be there to remove it when its service
  // ends.
  const bool service_ended = end_.is_of_service();
  if (service_ended || truncated()) remove_segment(*segment_, service_ended, log_);
}

}  // namespace ringside::consumer
