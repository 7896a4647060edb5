#pragma once
// Reads what a segment tells of the cost of log calls (shm-layout/call_costs.hpp).

#include <array>
#include <cstdint>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/call_times.hpp"

namespace ringside::consumer {

// A service may write any value to its counters; the totals read here never fall.
class CallCostMeter {
 public:
  // Of one read(): a service is not to hold up others by its number of rings.
  static constexpr std::uint32_t kRingsAtATime = 128;

  explicit CallCostMeter(AttachedSegment& segment);

  // As of the last time that all rings were read: some of them are now, in turn.
  CallTimes read();

 private:
  AttachedSegment& segment_;
  const double tick_hz_;
  std::array<std::size_t, shm::kCostBuckets> place_{};  // in CallTimes::counts, by bucket
  CallTimes times_;
  CallTimes round_;  // of rings [0, next_)
  std::uint32_t next_ = 0;
  std::vector<shm::CallCosts> entries_;
};

}  // namespace ringside::consumer
