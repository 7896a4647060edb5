#pragma once
// Waits for the consumer to make progress under the overflow policy `block`: for a live consumer,
// however busy it is, up to a bound or as long as it lives; without a consumer, up to another
// bound.

#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// One wait, for one record. It sleeps for increasing times, so that the consumer gets the
// processor.
class ConsumerWait {
 public:
  explicit ConsumerWait(Segment& segment) : segment_(segment), control_(*segment.control) {}

  // Whether to wait at all: the policy is `block`, and no wait has timed out since the consumer
  // last moved. Otherwise cause() has the reason.
  bool begin();
  // Whether to wait longer. False once all waits since the first begin() together reach the bound;
  // cause() then has the reason.
  bool may_go_on();
  // After may_go_on(), how long to sleep before the next look; 0: not at all, but pause. A thread
  // that is woken may sleep longer than one that looks on its own.
  std::uint64_t next_nap_ns(bool is_woken) const;
  // Both, with the sleep, for a thread that nothing wakes.
  bool go_on();

  shm::LossCause cause() const { return cause_; }
  // After go_on() returned false: whether the wait for a live consumer timed out.
  bool was_live() const { return live_; }

 private:
  bool refuse(shm::LossCause cause) {
    cause_ = cause;
    return false;
  }
  // As long as a consumer lives.
  bool is_unlimited() const { return segment_.live_timeout_ms == kUnboundedMs; }
  bool may_wait();
  bool is_over(std::uint64_t now_ns, std::uint64_t heartbeat);
  bool frees_no_space() const;
  bool lives(std::uint64_t now_ns, std::uint64_t heartbeat);
  bool disarmed(std::uint64_t heartbeat);
  std::uint64_t absent_bound_ns() const;
  std::uint64_t live_end_ns() const;
  std::uint64_t probe_at_ns() const;
  shm::LossCause cause_of_standstill() const;
  shm::ConsumerState consumer_state() const;

  Segment& segment_;
  shm::ControlPage& control_;
  std::uint64_t heartbeat_ = 0;         // when the wait began
  std::uint64_t probed_heartbeat_ = 0;  // at the last check of the consumer
  std::uint64_t start_ns_ = 0;          // of the first wait
  std::uint64_t now_ns_ = 0;            // at the last may_go_on()
  std::uint64_t absent_since_ns_ = 0;   // at first the start; 0: seen alive at the last check
  std::uint64_t probed_ns_ = 0;         // when the consumer was last checked; 0: never
  bool live_ = false;                   // result of the last check
  shm::LossCause cause_ = shm::LossCause::kRingFull;
};

}  // namespace ringside
