// The slow path of a reservation: first use, a new lap, a new clock epoch, a full ring.
//
// A signal handler may log at any point of this, also into the same functions. What makes that
// safe: `pos` changes by single instructions only (rs_fetch_add_local, exchange_local); a handler
// gives back what it reserved in vain before it returns; whoever finds its reservation no longer
// at the end of `pos` knows that a handler has successfully recorded behind it.

#include <algorithm>
#include <cstring>
#include <ctime>

#include "libagent/agent.hpp"
#include "libagent/ring_attachment.hpp"
#include "libagent/slow_call.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kSpinNs = 20'000;
constexpr long kFirstNapNs = 20'000;
constexpr long kLongestNapNs = 1'000'000;

// *word = desired if it still is expected; atomic with respect to this thread's handlers only.
bool exchange_local(std::uint64_t* word, std::uint64_t expected, std::uint64_t desired) {
#if defined(__x86_64__)
  unsigned char done = 0;
  __asm__ volatile("cmpxchgq %3, %1"
                   : "=@ccz"(done), "+m"(*word), "+a"(expected)
                   : "r"(desired)
                   : "memory");
  return done != 0;
#else
  return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
#endif
}

// How far the producer may write: up to a whole ring ahead of the consumer. Whatever stands in
// shared memory, never a ring beyond what this thread has published: the place of a record under
// way, which a handler interrupted, is computed on that ground (README, invariant 6).
std::uint64_t space_limit(const shm::RingMetadata& ring, std::uint64_t ring_bytes) {
  // Pairs with the consumer's release after it has read the bytes that are free again.
  const std::uint64_t consumed = ring.consumer.consumer_pos.load(std::memory_order_acquire);
  const std::uint64_t published = __atomic_load_n(&rs_thread_state.published, __ATOMIC_RELAXED);
  return std::min(consumed, published) + ring_bytes;
}

class Waiter {
 public:
  Waiter(Segment& segment, shm::RingMetadata& ring)
      : control_(*segment.control), ring_(ring), longest_ms_(segment.block_timeout_ms) {}

  // Waits until the ring's limit reaches `end`; all waits of one waiter together stay within
  // the bound of the policy. False if the record is to be dropped; absent() then tells whether
  // for want of a consumer.
  bool wait(std::uint64_t end, std::uint64_t ring_bytes) {
    heartbeat_ = control_.consumer.heartbeat.load(std::memory_order_relaxed);
    // The consumer polls, but has given this ring up: no space will ever come.
    if (ring_.consumer.quarantine.load(std::memory_order_relaxed) != 0) {
      absent_ = true;
      return false;
    }
    if (static_cast<shm::OverflowPolicy>(control_.service.overflow_policy.load(
            std::memory_order_relaxed)) != shm::OverflowPolicy::kBlock) {
      absent_ = !consumer_is_there();
      return false;
    }
    if (disarmed(heartbeat_)) {
      absent_ = consumer_state() != shm::ConsumerState::kStalled;
      return false;
    }
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
        absent_ = now == heartbeat_ && consumer_state() != shm::ConsumerState::kStalled;
        control_.service.block_heartbeat.store(now, std::memory_order_relaxed);
        control_.service.block_disarmed.store(1, std::memory_order_relaxed);
        break;
      }
      if (disarmed(now)) {  // another thread has waited in vain for the same consumer
        absent_ = now == heartbeat_;
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

  bool absent() const { return absent_; }

 private:
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
  bool absent_ = false;
};

void count_drop(shm::RingMetadata& ring, bool absent) {
  shm::CountersLine& c = ring.counters;
  (absent ? c.dropped_consumer_absent : c.dropped_ring_full)
      .fetch_add(1, std::memory_order_relaxed);
  // Last, with release: the consumer's acquire then sees the cause too.
  c.dropped_total.fetch_add(1, std::memory_order_release);
}

// Losses that no drop record in the ring tells of yet.
thread_local std::uint64_t t_marked_drops = 0;
thread_local std::uint64_t t_marked_ring_full = 0;
thread_local std::uint64_t t_marked_consumer_absent = 0;
thread_local std::uint64_t t_lap_end = 0;
thread_local std::uint32_t t_generation = 0;

class SlowReservation {
 public:
  SlowReservation(Segment& segment, shm::RingMetadata& ring)
      : ring_(ring),
        base_(reinterpret_cast<std::uint64_t>(attached_base())),
        ring_bytes_(segment.layout.ring_bytes),
        waiter_(segment, ring) {
    const std::uint32_t generation = ring.identity.generation.load(std::memory_order_relaxed);
    if (t_generation != generation || t_.clock_due == 0) {
      t_generation = generation;
      t_marked_drops = 0;
      t_marked_ring_full = 0;
      t_marked_consumer_absent = 0;
      t_lap_end = 0;
    }
  }

  std::uint64_t reserve(std::uint64_t bytes, std::uint64_t tsc) {
    for (;;) {
      const std::uint64_t start = load(t_.pos);
      if (clock_due(start + bytes, tsc)) {
        if (!append_clock(tsc)) return drop();
        continue;
      }
      if (drop_due()) {
        if (!append_drop_mark(tsc)) return drop();
        continue;
      }
      const std::uint64_t end = start + bytes;
      if (!make_space(end)) return drop();
      if (exchange_local(&t_.pos, start, end)) {
        refresh_limit();
        return start;
      }
    }
  }

 private:
  static std::uint64_t load(const std::uint64_t& word) {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
  }

  bool make_space(std::uint64_t end) {
    if (end <= space_limit(ring_, ring_bytes_)) return true;
    return waiter_.wait(end, ring_bytes_);
  }

  // The limit is the consumer's, but never beyond this lap: its end brings the next clock record.
  // Less the slack, for records that are tested by their start alone; nearer to the true end
  // every record comes here, where the test is exact.
  void refresh_limit() {
    const std::uint64_t end = std::min(space_limit(ring_, ring_bytes_), t_lap_end);
    __atomic_store_n(&t_.limit, end - RS_LIMIT_SLACK + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    // A handler may have dropped a record before the line above.
    if (drop_due()) return_here_next();
  }

  // After a drop the next record must come here, even if there is space by then: the mark of the
  // drop has its place before it.
  void return_here_next() { __atomic_store_n(&t_.limit, std::uint64_t{0}, __ATOMIC_RELAXED); }

  bool clock_due(std::uint64_t end, std::uint64_t tsc) const {
    return end > t_lap_end || tsc > t_.clock_due;
  }

  bool drop_due() const {
    return ring_.counters.dropped_total.load(std::memory_order_relaxed) != t_marked_drops;
  }

  std::uint64_t drop() {
    count_drop(ring_, waiter_.absent());
    return_here_next();
    return RS_DROPPED;
  }

  // A control record of its own reservation, published as any record.
  template <class Fill>
  bool append(std::uint64_t bytes, Fill&& fill) {
    for (;;) {
      const std::uint64_t start = load(t_.pos);
      if (!make_space(start + bytes)) return false;
      if (!exchange_local(&t_.pos, start, start + bytes)) continue;
      fill(start);
      rs_publish(start, bytes);
      return true;
    }
  }

  bool append_clock(std::uint64_t tsc) {
    return append(shm::kClockRecordBytes, [this, tsc](std::uint64_t start) {
      timespec now{};
      clock_gettime(CLOCK_REALTIME, &now);
      const std::uint64_t words[3] = {shm::make_head(tsc, shm::kCodeClock), tsc,
                                      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                                          static_cast<std::uint64_t>(now.tv_nsec)};
      // The place first: with it in force, the end of the lap before is still a valid limit.
      const std::uint64_t first = base_ + ring_bytes_ + (start & (ring_bytes_ - 1));
      __atomic_store_n(&t_.place, first - start, __ATOMIC_RELAXED);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      t_lap_end = start + ring_bytes_;
      std::memcpy(rs_place(start), words, sizeof words);
      __atomic_store_n(&t_.clock_due, tsc + shm::kClockIntervalTicks, __ATOMIC_RELAXED);
    });
  }

  bool append_drop_mark(std::uint64_t tsc) {
    return append(shm::kDropRecordBytes, [this, tsc](std::uint64_t start) {
      // A handler between these lines may have marked them all: then nothing is left to tell.
      const std::uint64_t total = ring_.counters.dropped_total.load(std::memory_order_relaxed);
      const std::uint64_t marked = t_marked_drops;
      std::uint64_t words[3] = {shm::make_head(shm::kDropRecordBytes, shm::kCodePad), 0, 0};
      if (total != marked && exchange_local(&t_marked_drops, marked, total)) {
        words[0] = shm::make_head(tsc, shm::kCodeDrop);
        words[1] = total - marked;
        words[2] = static_cast<std::uint32_t>(cause());
      }
      std::memcpy(rs_place(start), words, sizeof words);
    });
  }

  // Of the drops since the last mark.
  shm::DropCause cause() const {
    const shm::CountersLine& c = ring_.counters;
    const std::uint64_t full_total = c.dropped_ring_full.load(std::memory_order_relaxed);
    const std::uint64_t absent_total = c.dropped_consumer_absent.load(std::memory_order_relaxed);
    const bool full = full_total != t_marked_ring_full;
    const bool absent = absent_total != t_marked_consumer_absent;
    t_marked_ring_full = full_total;
    t_marked_consumer_absent = absent_total;
    if (full && absent) return shm::DropCause::kMixed;
    return absent ? shm::DropCause::kConsumerAbsent : shm::DropCause::kRingFull;
  }

  rs_thread& t_ = rs_thread_state;
  shm::RingMetadata& ring_;
  const std::uint64_t base_;  // address of the ring's first copy
  const std::uint64_t ring_bytes_;
  Waiter waiter_;
};

}  // namespace
}  // namespace ringside

void rs_publish_rest() {
  rs_thread& t = rs_thread_state;
  std::uint64_t end = 0;
  do {
    end = __atomic_load_n(&t.pos, __ATOMIC_RELAXED);
    // As in rs_publish, and in the same order.
    __atomic_store_n(t.producer_pos, end, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t.published, end, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } while (__atomic_load_n(&t.pos, __ATOMIC_RELAXED) != end);
}

namespace {

std::uint64_t reserve_slowly(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  rs_thread& t = rs_thread_state;
  const bool was_attached = (start & RS_NO_RING) == 0;
  if (!ringside::exchange_local(&t.pos, start + bytes, start) && was_attached) {
    // A handler has recorded behind our bytes, and could do so only within the limit.
    return start;
  }
  if (ringside::attached_ring() == nullptr && !ringside::attach_ring()) return RS_DROPPED;
  // Read once: a handler that forks takes both away from the child, though not what they refer to.
  ringside::Segment* const segment = ringside::agent().segment.load(std::memory_order_acquire);
  ringside::shm::RingMetadata* const ring = ringside::attached_ring();
  if (segment == nullptr || ring == nullptr) return RS_DROPPED;
  ringside::SlowReservation reservation(*segment, *ring);
  // A record that the consumer stamps comes without a time, but may begin a lap all the same.
  const std::uint64_t reserved = reservation.reserve(bytes, tsc != 0 ? tsc : rs_clock());
  if (ringside::attached_ring() == nullptr) t.limit = 0;  // see abandon_ring()
  return reserved;
}

}  // namespace

std::uint64_t rs_reserve_slow(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  const ringside::SlowCall call;
  const std::uint64_t reserved = reserve_slowly(start, bytes, tsc);
  rs_thread_state.slow_tsc = tsc;  // at the end: a handler meanwhile has left its own
  return reserved;
}
