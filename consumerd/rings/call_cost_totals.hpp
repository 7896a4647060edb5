#pragma once
// The cost of log calls over all rings of a segment (shm-layout/call_costs.hpp).

#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "shm-layout/call_cost_counts.hpp"
#include "shm-layout/call_costs.hpp"

namespace ringside::consumer {

class CallCostTotals {
 public:
  // Rings per read_on(): a service with many rings must not hold up others.
  static constexpr std::uint32_t kRingsAtATime = 128;

  explicit CallCostTotals(AttachedSegment& segment)
      : segment_(segment), is_measured_(segment.measures_calls()) {}

  bool is_measured() const { return is_measured_; }
  // Whether one read_on() reads all rings.
  bool is_short() const { return segment_.rings_used() <= kRingsAtATime; }
  // Between two reads of some rings. Without them the next one begins with the first ring.
  bool is_reading() const { return next_ != 0; }
  void begin_again() { next_ = 0; }

  enum class Read : std::uint8_t {
    kSome,        // further rings are to be read
    kAll,         // values() are new
    kUnreadable,  // the segment is truncated, or measures nothing
  };
  // Reads some rings, in turn.
  Read read_on();

  // When all rings had last been read. A service may write any value to its counters; these never
  // fall.
  const shm::CallCostCounts& values() const { return values_; }

 private:
  AttachedSegment& segment_;
  const bool is_measured_;
  shm::CallCostCounts values_;
  shm::CallCostCounts round_;  // sums of rings [0, next_)
  std::uint32_t next_ = 0;
  std::vector<shm::CallCosts> entries_;
};

}  // namespace ringside::consumer
