#pragma once
// The cost of a segment's log calls, for monitoring.

#include <array>
#include <cstddef>
#include <cstdint>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/metrics/call_times.hpp"
#include "consumerd/rings/call_cost_totals.hpp"

namespace ringside::consumer {

class CallCostMeter {
 public:
  explicit CallCostMeter(AttachedSegment& segment);

  // The totals when all rings had last been read; each call reads some of them, in turn. They never
  // fall.
  CallTimes read();

 private:
  CallCostTotals totals_;
  const double tick_hz_;
  std::array<std::size_t, shm::kCostBuckets> place_{};  // in CallTimes::counts, by bucket
  CallTimes times_;
};

}  // namespace ringside::consumer
