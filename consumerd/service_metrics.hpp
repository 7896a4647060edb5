#pragma once
// What is told of a service to whoever watches consumerd from outside. Much of it comes from memory
// that the service may write anything to: it is shown, not used.

#include <array>
#include <cstdint>
#include <string>

#include "consumerd/call_times.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside::consumer {

using LossCounts = std::array<std::uint64_t, shm::kCountedCauses.size()>;  // as kCountedCauses

// Never fall, whatever the service does.
struct ServiceTotals {
  // By this consumerd, since it took the service over.
  std::uint64_t records = 0;      // kept
  std::uint64_t sampled = 0;      // left out by a rule
  std::uint64_t ring_bytes = 0;   // that both took in the rings
  std::uint64_t trace_bytes = 0;  // of their blocks
  std::uint64_t files_finished = 0;
  std::uint64_t quarantined_rings = 0;
  // Since the service began.
  LossCounts lost{};
  double blocked_s = 0;  // all its threads together
  CallTimes calls;       // those that it measures
};

// Of the moment.
struct ServiceState {
  std::uint64_t threads = 0;
  std::uint64_t ring_bytes = 0;  // the size of each ring
  double fill = 0;               // of the fullest ring, 0 to 1
  double peak = 0;               // the same, the most since the last look
  double high_water = 0;         // the same, the most since the threads that run now began
  double unwritten_bytes = 0;    // recorded and not in a file
  std::uint64_t stalled = 0;     // processes of it whose trace cannot be written
};

struct ServiceMetrics {
  ServiceTotals totals;
  ServiceState state;
};

}  // namespace ringside::consumer
