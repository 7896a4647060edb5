// SegmentSession for rings that are overwritten: they are read when a tool requests a snapshot, and
// when the service has ended. Each snapshot has a separate file, except one that an earlier
// consumerd has begun. A record is in one snapshot only, and losses are reported between snapshots:
// the files of a segment together are its trace, as if its rings had been drained continuously.

#include <algorithm>

#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {
namespace {

// Between snapshots the conversion of ticks to time is adjusted and written at least this often.
constexpr auto kIdleClockInterval = std::chrono::seconds(60);

}  // namespace

SegmentSession::Drained SegmentSession::serve_snapshot(std::uint64_t round_tsc) {
  if (snapshot_ == Snapshot::kNone) {
    snapshot_asked_ = snapshots_.asked();
    // A trigger does not create an empty file.
    snapshot_wanted_ =
        snapshot_wanted_ && std::any_of(rings_.begin(), rings_.end(),
                                        [](const RingDrain& ring) { return ring.has_data(); });
    if (!snapshot_asked_ && !snapshot_wanted_) {
      const bool steered = !clock_->is_due(kIdleClockInterval) || clock_->write(*file_);
      return steered ? Drained::kAll : Drained::kNoSpace;
    }
    if (!begin_snapshot(round_tsc)) return Drained::kNoSpace;
    snapshot_wanted_ = false;
    snapshot_ = Snapshot::kReading;
  }
  if (snapshot_ == Snapshot::kReading) {
    const Drained read = read_rings();
    if (read != Drained::kAll) return read;
    if (!report_losses() || !points_.write(snapshot_tsc_, rings_, *file_)) return Drained::kNoSpace;
    file_->seal();
    snapshot_sealed_ = file_->sealed();
    snapshot_path_ = file_->path();
    snapshot_ = Snapshot::kWriting;
  }
  if (file_->written() >= snapshot_sealed_) {
    snapshot_ = Snapshot::kNone;
    const std::string text = "snapshot of " + name() + " in " + snapshot_path_;
    if (snapshot_asked_) {
      log_.detail(text, {{"segment", name()}, {"file", snapshot_path_}});
      answer_snapshot();
    } else {
      log_.notice(text, {{"segment", name()}, {"file", snapshot_path_}});
    }
  }
  return Drained::kAll;
}

bool SegmentSession::begin_snapshot(std::uint64_t round_tsc) {
  if (file_has_records_ && !continues_snapshot_ && !rotate(points_.watermark_tsc())) return false;
  if (!clock_->write(*file_)) return false;
  continues_snapshot_ = false;
  snapshot_ring_ = 0;
  snapshot_tsc_ = round_tsc;
  snapshot_counts_ = counts_;
  return true;
}

// Takes as much as one round may, including copies that were of no use.
SegmentSession::Drained SegmentSession::read_rings() {
  const std::uint64_t before = counts_.ring_bytes;
  std::uint64_t copied = 0;
  for (; snapshot_ring_ < rings_.size(); ++snapshot_ring_) {
    const std::uint64_t taken = std::max(counts_.ring_bytes - before, copied);
    if (taken >= share_bytes_) return Drained::kShare;
    const RingDrain::Result result =
        rings_[snapshot_ring_].drain_overwritten(share_bytes_ - taken, drain_way(), &copied);
    file_has_records_ = file_has_records_ || counts_.file_bytes != snapshot_counts_.file_bytes;
    if (result == RingDrain::Result::kNoSpace) return Drained::kNoSpace;
    if (result == RingDrain::Result::kMore) return Drained::kShare;
  }
  return Drained::kAll;
}

// A snapshot that is under way includes the rest: the service has written its last record.
SegmentSession::Drained SegmentSession::take_last_snapshot(std::uint64_t watermark_tsc) {
  if (last_snapshot_taken_) return Drained::kAll;
  const bool anything = std::any_of(rings_.begin(), rings_.end(),
                                    [](const RingDrain& ring) { return ring.has_data(); });
  if (snapshot_ == Snapshot::kNone && anything) {
    if (!begin_snapshot(watermark_tsc)) return Drained::kNoSpace;
    snapshot_ = Snapshot::kReading;
  } else if (snapshot_ == Snapshot::kNone) {
    snapshot_counts_ = counts_;
  }
  Drained read = snapshot_ == Snapshot::kReading ? read_rings() : Drained::kAll;
  if (read != Drained::kAll) return read;
  snapshot_ = Snapshot::kReading;
  snapshot_ring_ = 0;  // records that the rings read first have received since
  read = read_rings();
  if (read != Drained::kAll) return read;
  snapshot_path_ = file_->path();
  last_snapshot_taken_ = true;
  return Drained::kAll;
}

void SegmentSession::answer_snapshot() {
  snapshots_.answer(snapshot_path_, counts_.records - snapshot_counts_.records,
                    counts_.dropped - snapshot_counts_.dropped,
                    counts_.overwritten - snapshot_counts_.overwritten);
}

}  // namespace ringside::consumer
