#pragma once
// Reads what a segment's own counters tell of its service.

#include <cstdint>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/call_cost_meter.hpp"
#include "consumerd/service_metrics.hpp"

namespace ringside::consumer {

// Keeps in private memory what it has read: counters of threads begin anew with each owner of a
// ring, and a service may write any value to all of them, but the totals read here never fall.
class SegmentMeter {
 public:
  // `overwritten`: the rings are read by snapshots only.
  SegmentMeter(AttachedSegment& segment, bool overwritten)
      : segment_(segment), overwritten_(overwritten), call_costs_(segment) {}

  // Sets losses, waits and calls in `totals`, and all of `state` but `peak` and `stalled`.
  void read(ServiceMetrics* metrics);

 private:
  // Of one ring, when it was read last.
  struct Waits {
    std::uint32_t generation = 0;
    std::uint64_t ticks = 0;
  };

  void read_rings(ServiceState* state);
  void read_losses();
  bool add_up_sites(LossCounts* sum) const;

  AttachedSegment& segment_;
  const bool overwritten_;
  CallCostMeter call_costs_;
  std::vector<Waits> waits_;  // by ring
  double blocked_s_ = 0;
  LossCounts lost_{};
  std::uint64_t stamp_ = 0;  // of losses, when the sites were looked at
  bool look_again_ = true;
};

}  // namespace ringside::consumer
