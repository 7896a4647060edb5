#include "tools/live/loss_causes.hpp"

#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {

std::vector<LossCount> loss_causes(const RingStatus& ring) {
  return {{"ring_full", ring.dropped_ring_full},
          {"no_consumer", ring.dropped_consumer_absent},
          {"quarantined", ring.dropped_quarantined},
          {"abandoned", ring.dropped_abandoned}};
}

std::vector<LossCount> loss_causes(const SegmentStatus& segment) {
  std::vector<LossCount> losses;
  for (std::size_t i = 0; i < segment.counted.size(); ++i) {
    const shm::LossCause cause = shm::kCountedCauses[i];
    // Flight recorders overwrite records by design, and readers of their snapshots count these
    // losses.
    if (!shm::is_lost(cause) || cause == shm::LossCause::kOverwritten) continue;
    losses.push_back({trace::loss_cause_token(cause), segment.counted[i]});
  }
  return losses;
}

}  // namespace ringside::tool
