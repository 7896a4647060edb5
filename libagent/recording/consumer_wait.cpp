#include "libagent/recording/consumer_wait.hpp"

#include <algorithm>

#include "libagent/recording/consumer_liveness.hpp"
#include "libagent/recording/growing_nap.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kSpinNs = 20'000;
// A nap takes one in this many parts of the time that the thread has waited. A consumer before ABI
// 1.9 wakes no thread, whose wait then lasts up to twice as long as necessary.
constexpr std::uint64_t kPartOfLooking = 4;
constexpr std::uint64_t kPartOfWoken = 1;
constexpr std::uint64_t kProbeIntervalNs = 5'000'000;
// How late in a long wait the death of a consumer can be noticed.
constexpr std::uint64_t kLongestProbeIntervalNs = 100'000'000;
constexpr std::uint64_t kNsPerMs = 1'000'000;

}  // namespace

bool ConsumerWait::begin() {
  heartbeat_ = control_.consumer.heartbeat.load(std::memory_order_relaxed);
  if (!may_wait()) return false;
  if (disarmed(heartbeat_)) return refuse(cause_of_standstill());
  if (start_ns_ == 0) {
    start_ns_ = monotonic_ns();
    absent_since_ns_ = start_ns_;
    probed_heartbeat_ = heartbeat_;
  }
  return true;
}

// A tool can change the policy during a wait.
bool ConsumerWait::may_wait() {
  if (segment_.is_truncated.load(std::memory_order_relaxed)) {
    return refuse(shm::LossCause::kNoSharedMemory);
  }
  if (static_cast<shm::OverflowPolicy>(control_.service.overflow_policy.load(
          std::memory_order_relaxed)) == shm::OverflowPolicy::kBlock) {
    return true;
  }
  const shm::ConsumerState state = consumer_state();
  return refuse(state == shm::ConsumerState::kPolling || state == shm::ConsumerState::kStalled ||
                        state == shm::ConsumerState::kBetweenTurns
                    ? shm::LossCause::kRingFull
                    : shm::LossCause::kNoConsumer);
}

bool ConsumerWait::may_go_on() {
  const std::uint64_t now_ns = now_ns_ = monotonic_ns();
  const std::uint64_t heartbeat = control_.consumer.heartbeat.load(std::memory_order_relaxed);
  if (!may_wait()) {
    live_ = false;  // the wait did not time out
    return false;
  }
  if (is_over(now_ns, heartbeat)) {
    segment_.waited_for_live.store(live_, std::memory_order_relaxed);
    cause_ = heartbeat == heartbeat_ ? cause_of_standstill() : shm::LossCause::kRingFull;
    control_.service.block_heartbeat.store(heartbeat, std::memory_order_relaxed);
    control_.service.block_disarmed.store(1, std::memory_order_relaxed);
    return false;
  }
  if (disarmed(heartbeat)) {            // another thread's wait for the same consumer has timed out
    if (is_unlimited()) live_ = false;  // it ended without a consumer
    return refuse(heartbeat == heartbeat_ ? cause_of_standstill() : shm::LossCause::kRingFull);
  }
  return true;
}

std::uint64_t ConsumerWait::next_nap_ns(bool is_woken) const {
  const std::uint64_t waited_ns = now_ns_ - start_ns_;
  if (waited_ns < kSpinNs) return 0;
  const std::uint64_t probe_ns = probe_at_ns();
  const std::uint64_t left_ns = probe_ns > now_ns_ ? probe_ns - now_ns_ : UINT64_MAX;
  return growing_nap_ns(waited_ns, is_woken ? kPartOfWoken : kPartOfLooking, left_ns);
}

bool ConsumerWait::go_on() {
  if (!may_go_on()) return false;
  nap(next_nap_ns(false));
  return true;
}

// The wait for an absent consumer lasts absent_bound_ns() from its beginning or, if one was alive
// since, from when it was first missed. The check takes system calls, so it is not made sooner than
// necessary.
bool ConsumerWait::is_over(std::uint64_t now_ns, std::uint64_t heartbeat) {
  if (now_ns < probe_at_ns()) return false;
  probed_ns_ = now_ns;
  live_ = lives(now_ns, heartbeat);
  if (live_ && !frees_no_space()) {
    if (now_ns >= live_end_ns()) return true;
    absent_since_ns_ = 0;
    return false;
  }
  if (absent_since_ns_ == 0) absent_since_ns_ = now_ns;
  return now_ns >= absent_since_ns_ + absent_bound_ns();
}

// A consumer that cannot write reports it. Only an unlimited wait continues then.
bool ConsumerWait::frees_no_space() const {
  return !is_unlimited() && consumer_state() == shm::ConsumerState::kStalled;
}

std::uint64_t ConsumerWait::live_end_ns() const {
  if (is_unlimited()) return UINT64_MAX;
  return start_ns_ + std::max(segment_.live_timeout_ms * kNsPerMs, absent_bound_ns());
}

std::uint64_t ConsumerWait::probe_at_ns() const {
  const std::uint64_t absent_ns = absent_since_ns_ != 0 ? absent_since_ns_ : probed_ns_;
  const std::uint64_t end_ns = std::min(absent_ns + absent_bound_ns(), live_end_ns());
  if (probed_ns_ == 0) return std::min(end_ns, start_ns_ + kLongestProbeIntervalNs);
  return std::clamp(end_ns, probed_ns_ + kProbeIntervalNs, probed_ns_ + kLongestProbeIntervalNs);
}

bool ConsumerWait::lives(std::uint64_t now_ns, std::uint64_t heartbeat) {
  // Counts if no lock can be seen, in a process that has dropped its privileges.
  const bool moved = heartbeat != probed_heartbeat_;
  probed_heartbeat_ = heartbeat;
  const std::uint64_t seen_ns = segment_.consumer_seen_ns.load(std::memory_order_relaxed);
  if (moved || (seen_ns != 0 && now_ns < seen_ns + kProbeIntervalNs)) return true;
  if (!consumer_holds_lock(segment_)) return false;
  segment_.consumer_seen_ns.store(now_ns, std::memory_order_relaxed);
  return true;
}

// Others may shorten the wait, but cannot make it longer than this process's setting.
std::uint64_t ConsumerWait::absent_bound_ns() const {
  return kNsPerMs * std::min(control_.service.block_timeout_ms.load(std::memory_order_relaxed),
                             segment_.absent_timeout_ms);
}

// Whether a wait has timed out and no consumer has moved since. A consumer that cannot write still
// polls, but frees no space: waiting for it would cost every call the bound.
bool ConsumerWait::disarmed(std::uint64_t heartbeat) {
  shm::ServiceLine& line = control_.service;
  if (line.block_disarmed.load(std::memory_order_relaxed) == 0) return false;
  if (line.block_heartbeat.load(std::memory_order_relaxed) == heartbeat) return true;
  if (frees_no_space()) return true;
  line.block_disarmed.store(0, std::memory_order_relaxed);
  return false;
}

// For a consumer whose heartbeat has not moved. A consumer that is stopped or cannot write is still
// present.
shm::LossCause ConsumerWait::cause_of_standstill() const {
  const bool is_there = consumer_state() == shm::ConsumerState::kStalled ||
                        segment_.waited_for_live.load(std::memory_order_relaxed);
  return is_there ? shm::LossCause::kRingFull : shm::LossCause::kNoConsumer;
}

shm::ConsumerState ConsumerWait::consumer_state() const {
  return static_cast<shm::ConsumerState>(control_.consumer.state.load(std::memory_order_relaxed));
}

}  // namespace ringside
