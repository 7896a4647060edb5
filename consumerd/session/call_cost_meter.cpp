#include "consumerd/session/call_cost_meter.hpp"

#include <algorithm>

#include "consumerd/metrics/saturating_sum.hpp"

namespace ringside::consumer {

CallCostMeter::CallCostMeter(AttachedSegment& segment)
    : totals_(segment), tick_hz_(static_cast<double>(segment.header().tsc_frequency_hz)) {
  times_.measured = totals_.is_measured() && tick_hz_ > 0;
  if (!times_.measured) return;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    // The smallest bound that covers all calls of the bucket, so that no bound counts a call that
    // took longer. The last bucket has no end.
    const double end_s = static_cast<double>(shm::cost_bucket_begin(i + 1)) / tick_hz_;
    const auto bound = std::lower_bound(CallTimes::kBoundsS.begin(), CallTimes::kBoundsS.end(),
                                        i + 1 < place_.size() ? end_s : 2);
    place_[i] = static_cast<std::size_t>(bound - CallTimes::kBoundsS.begin());
  }
}

CallTimes CallCostMeter::read() {
  if (!times_.measured || totals_.read_on() != CallCostTotals::Read::kAll) return times_;
  const shm::CallCostCounts& costs = totals_.values();
  times_.counts = {};
  for (std::size_t i = 0; i < place_.size(); ++i) {
    std::uint64_t& count = times_.counts[place_[i]];
    count = saturating_sum(count, costs.count[i]);
  }
  times_.sum_s = static_cast<double>(costs.ticks) / tick_hz_;
  return times_;
}

}  // namespace ringside::consumer
