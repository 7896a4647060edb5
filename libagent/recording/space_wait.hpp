#pragma once
// Waits for the consumer to free ring space, according to the overflow policy.

#include <algorithm>
#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "libagent/recording/consumer_wait.hpp"
#include "libagent/recording/space_sleep.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside {

// How far the producer may write: up to a whole ring ahead of the consumer. For any value in shared
// memory, never a ring beyond what this thread has published: the place of an unfinished record
// that a handler interrupted is computed on this assumption (README, invariant 6).
inline std::uint64_t space_limit(const shm::RingMetadata& ring, std::uint64_t ring_bytes) {
  // Pairs with the consumer's release after it has read the bytes that are free again.
  const std::uint64_t consumed = ring.consumer.consumer_pos.load(std::memory_order_acquire);
  const std::uint64_t published = __atomic_load_n(&rs_thread_state.published, __ATOMIC_RELAXED);
  return std::min(consumed, published) + ring_bytes;
}

class SpaceWait {
 public:
  SpaceWait(Segment& segment, shm::RingMetadata& ring) : wait_(segment), ring_(ring) {}

  // Waits until the ring's limit reaches `end`; all waits of one object together stay within the
  // policy's bound. Returns false if the record must be dropped; cause() then has the reason.
  bool wait(std::uint64_t end, std::uint64_t ring_bytes) {
    // The consumer polls, but has quarantined this ring: it will never free space.
    if (ring_.consumer.quarantine.load(std::memory_order_relaxed) != 0) {
      cause_ = shm::LossCause::kQuarantined;
      return false;
    }
    const bool waits = wait_.begin();
    cause_ = wait_.cause();
    if (!waits) return false;
    if (in_vain_at_ == consumed() + 1) {
      cause_ = shm::LossCause::kRingFull;
      return false;
    }
    const std::uint64_t start_tsc = rs_clock();
    bool space = false;
    for (;;) {
      space = end <= space_limit(ring_, ring_bytes);
      if (space || !wait_.may_go_on()) break;
      sleep_until_woken(ring_, wait_.next_nap_ns(may_sleep_on_word()),
                        [&] { return end <= space_limit(ring_, ring_bytes); });
    }
    cause_ = wait_.cause();
    in_vain_at_ = !space && wait_.was_live() ? consumed() + 1 : 0;
    ring_.counters.blocked_count.fetch_add(1, std::memory_order_relaxed);
    ring_.counters.blocked_ticks.fetch_add(rs_clock() - start_tsc, std::memory_order_relaxed);
    return space;
  }

  shm::LossCause cause() const { return cause_; }

 private:
  std::uint64_t consumed() const {
    return ring_.consumer.consumer_pos.load(std::memory_order_relaxed);
  }

  // 1 + the position of the consumer when this thread's wait for a live consumer timed out. Until
  // the consumer takes something, even if it polls, further records must not each cost the bound.
  static inline constinit thread_local std::uint64_t in_vain_at_ = 0;

  ConsumerWait wait_;
  shm::RingMetadata& ring_;
  shm::LossCause cause_ = shm::LossCause::kRingFull;
};

}  // namespace ringside
