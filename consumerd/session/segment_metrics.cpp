// The metrics of SegmentSession's service, for monitoring.
#include <algorithm>
#include <utility>

#include "consumerd/metrics/saturating_sum.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

ServiceMetrics SegmentSession::metrics() {
  ServiceMetrics metrics;
  meter_.read(&metrics);
  ServiceTotals& totals = metrics.totals;
  totals.records = counts_.records;
  totals.ring_bytes = counts_.ring_bytes;
  totals.trace_bytes = counts_.file_bytes;
  totals.sampled = counts_.sampled;
  totals.files_finished = file_->files_ended();
  totals.quarantined_rings = static_cast<std::uint64_t>(std::count_if(
      rings_.begin(), rings_.end(), [](const RingDrain& ring) { return ring.quarantined(); }));
  // Losses that this process counts and the service does not.
  std::uint64_t& quarantined = totals.lost[shm::counter_of(shm::LossCause::kQuarantined)];
  quarantined = saturating_sum(quarantined, counts_.left_behind);
  totals.lost[shm::counter_of(shm::LossCause::kOverwritten)] = counts_.overwritten;
  metrics.state.peak = static_cast<double>(std::exchange(peak_permille_, 0)) / 1000;
  metrics.state.stalled = stalled() ? 1 : 0;
  return metrics;
}

}  // namespace ringside::consumer
