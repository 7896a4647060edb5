#include "libagent/recording/ring_drops.hpp"

#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/ring_attachment.hpp"

namespace ringside {

std::atomic<std::uint64_t>& drops_of(shm::CountersLine& c, shm::LossCause cause) {
  switch (cause) {
    case shm::LossCause::kNoConsumer:
      return c.dropped_consumer_absent;
    case shm::LossCause::kQuarantined:
      return c.dropped_quarantined;
    case shm::LossCause::kAbandoned:
      return c.dropped_abandoned;
    default:
      return c.dropped_ring_full;
  }
}

void count_drop(shm::RingMetadata& ring, shm::LossCause cause, std::uint64_t records) {
  shm::CountersLine& c = ring.counters;
  drops_of(c, cause).fetch_add(records, std::memory_order_relaxed);
  const Segment* const segment = attached_segment();
  if (segment != nullptr && segment->own_ring_counts != nullptr) {
    count_own_drop(*segment, ring, cause, records);
  }
  // Last, with release: the consumer's acquire then sees the cause too.
  c.dropped_total.fetch_add(records, std::memory_order_release);
}

void count_abandoned(shm::RingMetadata& ring, std::uint64_t records) {
  if (records == 0) return;
  count_drop(ring, shm::LossCause::kAbandoned, records);
  for (std::uint64_t i = 0; i < records; ++i) count_for_site(nullptr, shm::LossCause::kAbandoned);
}

}  // namespace ringside
