#include "libagent/recording/free_rings.hpp"

#include <atomic>
#include <cerrno>
#include <unistd.h>

#include <sys/syscall.h>

#include "libagent/recording/consumer_wake.hpp"
#include "libagent/recording/nested_records.hpp"
#include "libagent/recording/ring_attachment.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kRingLookIntervalNs = 100'000'000;

bool is_drained(const shm::RingMetadata& ring) {
  return ring.consumer.generation.load(std::memory_order_relaxed) ==
             ring.identity.generation.load(std::memory_order_relaxed) &&
         // Pairs with the consumer's release after its last read of the ring's bytes.
         ring.consumer.consumer_pos.load(std::memory_order_acquire) ==
             ring.producer.producer_pos.load(std::memory_order_relaxed) &&
         ring.consumer.booked_drops.load(std::memory_order_relaxed) ==
             ring.counters.dropped_total.load(std::memory_order_relaxed);
}

}  // namespace

std::uint32_t current_thread_id() {
  return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

std::uint32_t find_ring(Segment& segment, bool new_ones) {
  // end of the last search: with many short threads it finds a ring at once
  static std::uint32_t hint = 0;
  const std::uint32_t used = segment.rings_used;
  const bool overwritten = segment.sub_buffer_bytes != 0;
  if (overwritten && new_ones && used < segment.layout.ring_count) return used;
  for (std::uint32_t step = 0; step < used; ++step) {
    const std::uint32_t index = (hint + step) % used;
    const shm::RingMetadata& ring = segment.rings[index];
    if (segment.ring_owner[index] == 0 && (overwritten || is_drained(ring))) {
      hint = index + 1;
      return index;
    }
  }
  return used;
}

bool ring_may_come(const Segment& segment) {
  for (std::uint32_t i = 0; i < segment.rings_used; ++i) {
    if (segment.ring_owner[i] == 0 &&
        segment.rings[i].consumer.quarantine.load(std::memory_order_relaxed) == 0) {
      return true;
    }
  }
  return false;
}

void retire_rings_of_dead_threads(Segment& segment) {
  static std::uint64_t next_look_ns = 0;
  const std::uint64_t now_ns = monotonic_ns();
  if (now_ns < next_look_ns) return;
  next_look_ns = now_ns + kRingLookIntervalNs;
  const std::uint32_t own_id = current_thread_id();
  for (std::uint32_t i = 0; i < segment.rings_used; ++i) {
    const std::uint32_t owner = segment.ring_owner[i];
    if (owner == 0) continue;
    // If another ring has the caller's number, the number belonged to an earlier thread.
    const bool lives =
        &segment.rings[i] == attached_ring() ||
        (owner != own_id && (syscall(SYS_tgkill, getpid(), owner, 0) == 0 || errno != ESRCH));
    if (lives) continue;
    segment.ring_owner[i] = 0;
    note_ring_left(segment, i);
    publish_nested_of_dead_thread(segment, i);
    // As in retire_ring().
    segment.rings[i].identity.state.store(static_cast<std::uint32_t>(shm::RingState::kRetired),
                                          std::memory_order_release);
  }
}

}  // namespace ringside
