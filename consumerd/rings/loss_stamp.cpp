#include "consumerd/rings/loss_stamp.hpp"

namespace ringside::consumer {

std::uint64_t loss_stamp_of_rings(AttachedSegment& segment) {
  std::uint64_t sum = 0;
  const std::uint32_t used = segment.rings_used();
  for (std::uint32_t i = 0; i < used; ++i) {
    const shm::RingMetadata& ring = segment.ring(i);
    sum += ring.counters.dropped_total.load(std::memory_order_relaxed) +
           ring.counters.cut_records.load(std::memory_order_relaxed);
    // A new thread restarts the counters: the generation keeps the stamp changing.
    sum += std::uint64_t{ring.identity.generation.load(std::memory_order_relaxed)} << 40U;
  }
  return sum;
}

}  // namespace ringside::consumer
