#pragma once
// The metrics of a service for external monitoring. Much of it comes from memory to which the
// service can write any value: it is displayed, not used.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "consumerd/metrics/call_times.hpp"
#include "consumerd/metrics/statement_counts.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside::consumer {

using LossCounts =
    std::array<std::uint64_t, shm::kCountedCauses.size()>;  // in the order of kCountedCauses

// These never fall, whatever the service does.
struct ServiceTotals {
  // Counted by this consumerd, since it took the service over.
  std::uint64_t records = 0;      // kept
  std::uint64_t sampled = 0;      // left out by a rule
  std::uint64_t ring_bytes = 0;   // size of both in the rings
  std::uint64_t trace_bytes = 0;  // size of their blocks
  std::uint64_t files_finished = 0;
  std::uint64_t quarantined_rings = 0;
  // Since the start of the service.
  LossCounts lost{};
  double blocked_s = 0;  // sum over all its threads
  CallTimes calls;       // the calls that it measures
  StatementCounts statements;

  // A new session reads from the segment what an earlier one has read before, and the service may
  // have written smaller values since.
  void keep_growing(const ServiceTotals& before) {
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = std::max(lost[i], before.lost[i]);
    quarantined_rings = std::max(quarantined_rings, before.quarantined_rings);
    blocked_s = std::max(blocked_s, before.blocked_s);
    calls.keep_growing(before.calls);
    statements.keep_growing(before.statements);
  }
};

// Present values.
struct ServiceState {
  std::uint64_t threads = 0;
  std::uint64_t ring_bytes = 0;  // the size of each ring
  double fill = 0;               // of the fullest ring, 0 to 1
  double peak = 0;               // highest fill since the last reading
  double high_water = 0;         // highest fill since the start of the threads that run now
  double unwritten_bytes = 0;    // recorded and not yet in a file
  std::uint64_t stalled = 0;     // number of its processes whose trace cannot be written
};

struct ServiceMetrics {
  ServiceTotals totals;
  ServiceState state;
};

}  // namespace ringside::consumer
