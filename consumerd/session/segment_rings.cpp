#include "consumerd/session/segment_rings.hpp"

#include <algorithm>

namespace ringside::consumer {

Drained drained_of(RingDrain::Result result) {
  if (result == RingDrain::Result::kDone) return Drained::kAll;
  return result == RingDrain::Result::kMore ? Drained::kShare : Drained::kNoSpace;
}

void SegmentRings::follow(bool resumed, SequencePoints& points) {
  const std::uint32_t used = segment_.rings_used();
  while (rings_.size() < used) {
    rings_.emplace_back(segment_, static_cast<std::uint32_t>(rings_.size()), resumed);
    points.follow(rings_.back());
  }
}

bool SegmentRings::has_data() const {
  return std::any_of(rings_.begin(), rings_.end(),
                     [](const RingDrain& ring) { return ring.has_data(); });
}

void SegmentRings::written(const shm::JournalEntry& entry) {
  if (entry.ring_index < rings_.size()) rings_[entry.ring_index].written(entry);
}

// If a round could not take everything, the next one begins with the ring that stopped it;
// otherwise the last rings would never be drained while the disk is the slowest part.
Drained SegmentRings::drain(const DrainWay& way, const std::function<bool()>& begin,
                            RoundResult* result) {
  const std::size_t count = rings_.size();
  const std::size_t first = first_;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t index = first + step < count ? first + step : first + step - count;
    RingDrain& ring = rings_[index];
    if (!ring.has_data()) continue;
    const std::uint64_t before = way.counts->ring_bytes;
    if (result->ring_bytes == 0 && !begin()) {
      first_ = index;
      return Drained::kNoSpace;
    }
    const RingDrain::Result drained = ring.drain(share_bytes_ - result->ring_bytes, way);
    if (drained == RingDrain::Result::kNoSpace) {
      first_ = index;
      return Drained::kNoSpace;
    }
    result->ring_bytes += way.counts->ring_bytes - before;
    result->fullest_permille =
        std::max(result->fullest_permille, ring.fill_bytes() * 1000 / segment_.layout().ring_bytes);
    peak_permille_ = std::max(peak_permille_, result->fullest_permille);
    if (result->ring_bytes >= share_bytes_) {
      // Begins with the ring after it, because this one may always have more.
      first_ = index + 1 < count ? index + 1 : 0;
      return Drained::kShare;
    }
  }
  return Drained::kAll;
}

bool SegmentRings::plan(RingTurn* turn) {
  turn->rings.clear();
  turn->unread_bytes = 0;
  const auto count = static_cast<std::uint32_t>(rings_.size());
  bool all_mapped = true;
  for (std::uint32_t step = 0; step < count; ++step) {
    const std::uint32_t index =
        turn->first + step < count ? turn->first + step : turn->first + step - count;
    const RingDrain& ring = rings_[index];
    if (ring.share() != turn->share || !ring.has_data()) continue;
    turn->rings.push_back(index);
    turn->unread_bytes += ring.unread_bytes();
    segment_.ring_bytes(index);
  }
  // To map a ring may have unmapped others.
  for (const std::uint32_t index : turn->rings) {
    all_mapped = all_mapped && segment_.is_mapped(index);
  }
  return all_mapped;
}

Drained SegmentRings::drain(RingTurn& turn, const DrainWay& way, RoundResult* result) {
  for (std::size_t i = 0; i < turn.rings.size(); ++i) {
    RingDrain& ring = rings_[turn.rings[i]];
    turn.first = turn.rings[i];
    const std::uint64_t before = way.counts->ring_bytes;
    const RingDrain::Result drained = ring.drain(share_bytes_ - result->ring_bytes, way);
    result->ring_bytes += way.counts->ring_bytes - before;
    if (drained == RingDrain::Result::kNoSpace) return Drained::kNoSpace;
    result->fullest_permille =
        std::max(result->fullest_permille, ring.fill_bytes() * 1000 / segment_.layout().ring_bytes);
    if (result->ring_bytes >= share_bytes_) {
      // Begins with the ring after it, because this one may always have more.
      turn.first = turn.rings[i + 1 < turn.rings.size() ? i + 1 : 0];
      return Drained::kShare;
    }
  }
  return Drained::kAll;
}

Drained SegmentRings::drain_rest(std::uint32_t share, const DrainWay& way, bool reads,
                                 bool service_ended) {
  const std::uint64_t before = way.counts->ring_bytes;
  for (RingDrain& ring : rings_) {
    if (ring.share() != share) continue;
    if (reads) {
      const std::uint64_t taken = way.counts->ring_bytes - before;
      if (taken >= share_bytes_) return Drained::kShare;
      const RingDrain::Result drained = ring.drain(share_bytes_ - taken, way);
      if (drained == RingDrain::Result::kMore) return Drained::kShare;
      if (drained == RingDrain::Result::kNoSpace) return Drained::kNoSpace;
    }
    if (ring.book_final_drops(way, service_ended) == RingDrain::Result::kNoSpace) {
      return Drained::kNoSpace;
    }
  }
  return Drained::kAll;
}

// If a ring has more, everything older than its last record is in the file.
std::uint64_t SegmentRings::complete_until(std::uint32_t share, std::uint64_t round_tsc,
                                           std::uint64_t watermark_tsc) const {
  std::uint64_t until = round_tsc;
  for (const RingDrain& ring : rings_) {
    if (ring.share() == share && ring.has_data()) until = std::min(until, ring.cursor().last_tsc);
  }
  return std::max(until, watermark_tsc);
}

void SegmentRings::book_final_drops(std::uint32_t share, const DrainWay& way) {
  for (RingDrain& ring : rings_) {
    if (ring.share() != share) continue;
    if (ring.book_final_drops(way, false) == RingDrain::Result::kNoSpace) return;
  }
}

void SegmentRings::publish_nested() {
  for (RingDrain& ring : rings_) ring.publish_nested();
}

void SegmentRings::take_passed_bytes(BytesByProcessor* bytes) {
  for (RingDrain& ring : rings_) {
    const std::uint64_t passed = ring.take_passed_bytes();
    const std::uint32_t code = ring.cursor().processor;
    if (passed != 0 && code != 0) (*bytes)[code - 1] += passed;
  }
}

}  // namespace ringside::consumer
