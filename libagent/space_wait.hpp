#pragma once
// Waits for the consumer to free ring space, as the overflow policy wants.

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "libagent/agent.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// How far the producer may write: up to a whole ring ahead of the consumer. Whatever stands in
// shared memory, never a ring beyond what this thread has published: the place of a record under
// way, which a handler interrupted, is computed on that ground (README, invariant 6).
inline std::uint64_t space_limit(const shm::RingMetadata& ring, std::uint64_t ring_bytes) {
  // Pairs with the consumer's release after it has read the bytes that are free again.
  const std::uint64_t consumed = ring.consumer.consumer_pos.load(std::memory_order_acquire);
  const std::uint64_t published = __atomic_load_n(&rs_thread_state.published, __ATOMIC_RELAXED);
  return std::min(consumed, published) + ring_bytes;
}

class SpaceWait {
 public:
  SpaceWait(Segment& segment, shm::RingMetadata& ring)
      : control_(*segment.control), ring_(ring), longest_ms_(segment.block_timeout_ms) {}

  // Waits until the ring's limit reaches `end`; all waits of one object together stay within
  // the bound of the policy. False if the record is to be dropped; cause() then tells why.
  bool wait(std::uint64_t end, std::uint64_t ring_bytes) {
    heartbeat_ = control_.consumer.heartbeat.load(std::memory_order_relaxed);
    // The consumer polls, but has given this ring up: no space will ever come.
    if (ring_.consumer.quarantine.load(std::memory_order_relaxed) != 0) {
      return refuse(shm::LossCause::kQuarantined);
    }
    if (static_cast<shm::OverflowPolicy>(control_.service.overflow_policy.load(
            std::memory_order_relaxed)) != shm::OverflowPolicy::kBlock) {
      return refuse(consumer_is_there() ? shm::LossCause::kRingFull : shm::LossCause::kNoConsumer);
    }
    if (disarmed(heartbeat_)) return refuse(cause_of_standstill());
    // Others may shorten the wait, but nobody makes it longer than this process was told.
    const std::uint64_t bound_ns =
        std::uint64_t{std::min(control_.service.block_timeout_ms.load(std::memory_order_relaxed),
                               longest_ms_)} *
        1'000'000U;
    if (start_ns_ == 0) start_ns_ = monotonic_ns();
    const std::uint64_t start_tsc = rs_clock();
    long nap_ns = kFirstNapNs;
    bool space = false;
    for (;;) {
      space = end <= space_limit(ring_, ring_bytes);
      if (space) break;
      const std::uint64_t waited_ns = monotonic_ns() - start_ns_;
      const std::uint64_t now = control_.consumer.heartbeat.load(std::memory_order_relaxed);
      if (waited_ns >= bound_ns) {
        cause_ = now == heartbeat_ ? cause_of_standstill() : shm::LossCause::kRingFull;
        control_.service.block_heartbeat.store(now, std::memory_order_relaxed);
        control_.service.block_disarmed.store(1, std::memory_order_relaxed);
        break;
      }
      if (disarmed(now)) {  // another thread has waited in vain for the same consumer
        cause_ = now == heartbeat_ ? shm::LossCause::kNoConsumer : shm::LossCause::kRingFull;
        break;
      }
      if (waited_ns < kSpinNs) {
        pause();
      } else {
        const timespec nap{0, std::min<long>(nap_ns, static_cast<long>(bound_ns - waited_ns))};
        nanosleep(&nap, nullptr);
        nap_ns = std::min(nap_ns * 2, kLongestNapNs);
      }
    }
    ring_.counters.blocked_count.fetch_add(1, std::memory_order_relaxed);
    ring_.counters.blocked_ticks.fetch_add(rs_clock() - start_tsc, std::memory_order_relaxed);
    return space;
  }

  shm::LossCause cause() const { return cause_; }

 private:
  static constexpr std::uint64_t kSpinNs = 20'000;
  static constexpr long kFirstNapNs = 20'000;
  static constexpr long kLongestNapNs = 1'000'000;

  bool refuse(shm::LossCause cause) {
    cause_ = cause;
    return false;
  }

  // Of a consumer whose heartbeat has not moved. One that cannot write is there all the same.
  shm::LossCause cause_of_standstill() const {
    return consumer_state() == shm::ConsumerState::kStalled ? shm::LossCause::kRingFull
                                                            : shm::LossCause::kNoConsumer;
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  // Whether a wait has timed out and no consumer has moved since. One that cannot write does poll
  // on, but frees no space: waiting for it would cost every call the bound.
  bool disarmed(std::uint64_t heartbeat) {
    shm::ServiceLine& line = control_.service;
    if (line.block_disarmed.load(std::memory_order_relaxed) == 0) return false;
    if (line.block_heartbeat.load(std::memory_order_relaxed) == heartbeat) return true;
    if (consumer_state() == shm::ConsumerState::kStalled) return true;
    line.block_disarmed.store(0, std::memory_order_relaxed);
    return false;
  }

  shm::ConsumerState consumer_state() const {
    return static_cast<shm::ConsumerState>(control_.consumer.state.load(std::memory_order_relaxed));
  }

  bool consumer_is_there() const {
    const shm::ConsumerState state = consumer_state();
    return state == shm::ConsumerState::kPolling || state == shm::ConsumerState::kStalled;
  }

  shm::ControlPage& control_;
  shm::RingMetadata& ring_;
  const std::uint32_t longest_ms_;
  std::uint64_t heartbeat_ = 0;
  std::uint64_t start_ns_ = 0;  // of the first wait
  shm::LossCause cause_ = shm::LossCause::kRingFull;
};

}  // namespace ringside
