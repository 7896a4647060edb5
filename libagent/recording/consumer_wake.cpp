#include "libagent/recording/consumer_wake.hpp"

#include <algorithm>
#include <atomic>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "libagent/process/local_word.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "shm-layout/consumer_sleep.hpp"

namespace ringside {
namespace {

// The sleep that the calling thread has ended last.
struct WokenSleep {
  const Segment* segment = nullptr;
  std::uint32_t number = 0;
};
constinit thread_local WokenSleep t_woken;
constinit thread_local bool t_is_silent = false;

void wake_if_asleep(const Segment& segment);

// A consumer that sleeps already must not do so any longer.
void make_silent(const Segment& segment, std::uint32_t index) {
  if (segment.ring_is_silent[index].exchange(true, std::memory_order_relaxed)) return;
  segment.control->wake_ups.silent_rings.fetch_add(1, std::memory_order_relaxed);
  wake_if_asleep(segment);
}

void wake_if_asleep(const Segment& segment) {
  shm::ControlPage& control = *segment.control;
  // Pairs with the consumer's fence: either this thread sees that the consumer sleeps, or the
  // consumer's last check sees what this thread has published.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Pairs with the consumer's release: its reading of `calls` precedes the addition below.
  const std::uint32_t number = control.consumer_sleep.number.load(std::memory_order_acquire);
  if (!shm::is_asleep(number)) return;
  if (t_woken.number == number && t_woken.segment == &segment) return;
  // Not shared by the threads: a thread that was stopped before its call would keep the others from
  // theirs.
  t_woken = {&segment, number};
  control.wake_ups.calls.fetch_add(1, std::memory_order_release);
  const long result =
      syscall(SYS_futex, &control.wake_ups.calls, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  if (result < 0) stop_waking_of_this_thread();  // a seccomp filter forbids it
}

}  // namespace

std::uint64_t check_consumer_sleep(const Segment& segment, const shm::RingMetadata& ring) {
  if (segment.sub_buffer_bytes != 0) return UINT64_MAX;
  const std::uint64_t part = segment.layout.ring_bytes / shm::kWakeUpParts;
  const std::uint64_t published = load_local(rs_thread_state.published);
  // Any value may be in shared memory. One that is too old brings this thread here too soon.
  const std::uint64_t consumed =
      std::min(ring.consumer.consumer_pos.load(std::memory_order_relaxed), published);
  if (published - consumed < part) return consumed + part;
  if (!t_is_silent) wake_if_asleep(segment);
  return published + part;
}

void wake_consumer(const Segment& segment) {
  wake_if_asleep(segment);
}

void stop_waking_of_this_thread() {
  t_is_silent = true;
  const shm::RingMetadata* const ring = attached_ring();
  if (ring == nullptr) return;
  const Segment* const segment = attached_segment();
  make_silent(*segment, static_cast<std::uint32_t>(ring - segment->rings));
}

void note_ring_taken(const Segment& segment, std::uint32_t index) {
  if (t_is_silent) make_silent(segment, index);
}

void note_ring_left(const Segment& segment, std::uint32_t index) {
  if (!segment.ring_is_silent[index].exchange(false, std::memory_order_relaxed)) return;
  segment.control->wake_ups.silent_rings.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace ringside
