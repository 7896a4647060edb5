#pragma once
// Reads a service's metrics from its segment's counters.

#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/metrics/service_metrics.hpp"
#include "consumerd/session/call_cost_meter.hpp"
#include "consumerd/session/execution_meter.hpp"

namespace ringside::consumer {

// Keeps the last values in private memory: the counters of threads restart with each owner of a
// ring, and a service can write any value to all of them, but the totals read here never fall.
class SegmentMeter {
 public:
  // `overwritten`: the rings are read only by snapshots.
  SegmentMeter(AttachedSegment& segment, bool overwritten)
      : segment_(segment), overwritten_(overwritten), call_costs_(segment), executions_(segment) {}

  // Sets losses, waits, calls and statements in `totals`, and all of `state` except `peak` and
  // `stalled`. `sites`: the segment's; null before its dictionary was read.
  void read(const trace::SiteTable* sites, ServiceMetrics* metrics);

 private:
  // State of one ring when it was last read.
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
  ExecutionMeter executions_;
  std::vector<Waits> waits_;  // by ring
  double blocked_s_ = 0;
  LossCounts lost_{};
  std::uint64_t stamp_ = 0;  // of losses, when the sites were last read
  bool check_again_ = true;
};

// Adds what this process drained and lost itself, which the segment does not count. After
// SegmentMeter::read().
void add_drained(const DrainCounts& counts, std::span<const RingDrain> rings,
                 ServiceTotals* totals);

}  // namespace ringside::consumer
