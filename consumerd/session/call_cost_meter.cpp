#include "consumerd/session/call_cost_meter.hpp"

#include <algorithm>
#include <span>

#include "consumerd/metrics/saturating_sum.hpp"

namespace ringside::consumer {

CallCostMeter::CallCostMeter(AttachedSegment& segment)
    : segment_(segment), tick_hz_(static_cast<double>(segment.header().tsc_frequency_hz)) {
  times_.measured = segment.measures_calls() && tick_hz_ > 0;
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
  if (!times_.measured) return times_;
  const std::uint32_t used = segment_.rings_used();
  const std::uint32_t rings = std::min(kRingsAtATime, used - std::min(used, next_));
  entries_ = std::vector<shm::CallCosts>(rings);
  if (!segment_.read_call_costs(next_, std::as_writable_bytes(std::span(entries_)))) {
    return times_;
  }
  for (const shm::CallCosts& ring : entries_) {
    round_.sum_s += static_cast<double>(ring.all.ticks.load(std::memory_order_relaxed)) / tick_hz_;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      std::uint64_t& count = round_.counts[place_[i]];
      count = saturating_sum(count, ring.all.count[i].load(std::memory_order_relaxed));
    }
  }
  next_ += rings;
  if (next_ < used) return times_;
  next_ = 0;
  for (std::size_t i = 0; i < round_.counts.size(); ++i) {
    times_.counts[i] = std::max(times_.counts[i], round_.counts[i]);
  }
  times_.sum_s = std::max(times_.sum_s, round_.sum_s);
  round_ = {};
  return times_;
}

}  // namespace ringside::consumer
