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

void SegmentFlush::take(TraceFile& file) {
  file.seal();
  if (requests_.take(file.sealed())) file.want_durable();
  marks_.clear();
  pending_ = false;
}

}  // namespace ringside::consumer
