#include "consumerd/session/segment_flush.hpp"

namespace ringside::consumer {

void SegmentFlush::begin(std::span<const RingDrain> rings) {
  pending_ = true;
  for (const RingDrain& ring : rings) marks_.push_back(ring.published());
}

bool SegmentFlush::is_reached(std::span<const RingDrain> rings) const {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (!rings[i].has_taken(marks_[i])) return false;
  }
  return true;
}

void SegmentFlush::take(TraceFile& file, RingShares& shares) {
  file.seal();
  shares.seal();
  const bool is_durable = requests_.take(file.sealed());
  if (is_durable) file.want_durable();
  shares.mark_flush(is_durable);
  marks_.clear();
  pending_ = false;
}

void SegmentFlush::answer(const TraceFile& file, const RingShares& shares) {
  const TraceSync& sync = file.sync();
  requests_.answer(
      shares.flush_is_written() ? file.written() : 0,
      {!sync.is_wanted() && !shares.sync_is_wanted(), sync.is_busy() || shares.sync_is_busy(),
       sync.failures() + shares.sync_failures()});
}

}  // namespace ringside::consumer
