#pragma once
// A flush of one segment, durable or not: it covers what was published before the request.
// Otherwise it would never be answered while a service logs more than a round takes.

#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/drain/ring_drain.hpp"
#include "consumerd/requests/flush_requests.hpp"
#include "consumerd/session/ring_shares.hpp"
#include "consumerd/write/trace_file.hpp"
#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

class SegmentFlush {
 public:
  explicit SegmentFlush(shm::ControlPage& control) : requests_(control) {}

  // Whether a new request has arrived and none is pending: call begin() then.
  bool is_asked() { return !pending_ && requests_.asked(); }
  // `rings`: with those that were claimed before the request.
  void begin(std::span<const RingDrain> rings);

  bool is_pending() const { return pending_; }
  // Whether everything that a pending flush covers was taken from the rings.
  bool is_reached(std::span<const RingDrain> rings) const;
  // Everything that the flush covers is committed to the files, which are sealed here. If a durable
  // flush is among them, they are asked to sync. `shares`: those with further files.
  void take(TraceFile& file, RingShares& shares);
  // Answers requests of which everything is written, and durable ones of which it is synced.
  void answer(const TraceFile& file, const RingShares& shares);

 private:
  FlushRequests requests_;
  std::vector<std::uint64_t> marks_;  // by ring: positions that the flush must reach
  bool pending_ = false;              // requested, and not taken yet
};

}  // namespace ringside::consumer
