#pragma once
// Reads the cost of log calls from a segment (shm-layout/call_costs.hpp).

#include <array>
#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/metrics/call_times.hpp"

namespace ringside::consumer {

// A service may write any value to its counters; the totals read here never fall.
class CallCostMeter {
 public:
  // Rings per read(): a service with many rings must not hold up others.
  static constexpr std::uint32_t kRingsAtATime = 128;

  explicit CallCostMeter(AttachedSegment& segment);

  // The totals when all rings had last been read; each call reads some of them, in turn.
  CallTimes read();

 private:
  AttachedSegment& segment_;
  const double tick_hz_;
  std::array<std::size_t, shm::kCostBuckets> place_{};  // in CallTimes::counts, by bucket
  CallTimes times_;
  CallTimes round_;  // sums of rings [0, next_)
  std::uint32_t next_ = 0;
  std::vector<shm::CallCosts> entries_;
};

}  // namespace ringside::consumer
