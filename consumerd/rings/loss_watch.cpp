#include "consumerd/rings/loss_watch.hpp"

namespace ringside::consumer {

LossWatch::LossWatch(AttachedSegment& segment) : segment_(segment) {
  new_losses();
}

std::uint64_t LossWatch::new_losses() {
  std::uint64_t lost = 0;
  const std::uint32_t used = segment_.rings_used();
  rings_.resize(used);
  for (std::uint32_t i = 0; i < used; ++i) {
    const shm::RingMetadata& ring = segment_.ring(i);
    // Read before the counter, which restarts with each generation.
    const Ring now{ring.identity.generation.load(std::memory_order_acquire),
                   ring.counters.dropped_total.load(std::memory_order_relaxed)};
    const std::uint64_t before = now.generation == rings_[i].generation ? rings_[i].dropped : 0;
    if (now.dropped > before) lost += now.dropped - before;
    rings_[i] = now;
  }
  const shm::SegmentLosses& losses = segment_.control().losses;
  const std::uint64_t refused = losses.no_ring.load(std::memory_order_relaxed) +
                                losses.no_memory.load(std::memory_order_relaxed) +
                                losses.dictionary_full.load(std::memory_order_relaxed);
  if (refused > refused_) lost += refused - refused_;
  refused_ = refused;
  return lost;
}

}  // namespace ringside::consumer
