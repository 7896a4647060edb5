#include "libagent/recording/consumer_wake.hpp"

#include <algorithm>
#include <atomic>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "libagent/process/local_word.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/call_cost.hpp"
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
// How far the ring was found free; valid unless the thread's limit is 0.
constinit thread_local std::uint64_t t_space_end = 0;

void wake_if_asleep(const Segment& segment);

// A consumer that sleeps already must not do so any longer.
void make_silent(const Segment& segment, std::uint32_t index) {
  if (segment.ring_is_silent[index].exchange(true, std::memory_order_relaxed)) return;
  segment.control->wake_ups.silent_rings.fetch_add(1, std::memory_order_relaxed);
  wake_if_asleep(segment);
}

// The number of the consumer's sleep; even if it is awake.
std::uint32_t number_of_sleep(const Segment& segment) {
  // Pairs with the consumer's fence: either this thread sees that the consumer sleeps, or the
  // consumer's last check sees what this thread has published.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Pairs with the consumer's release: its reading of `calls` precedes the addition in wake().
  return segment.control->consumer_sleep.number.load(std::memory_order_acquire);
}

void wake(const Segment& segment, std::uint32_t number) {
  if (t_woken.number == number && t_woken.segment == &segment) return;
  // Not shared by the threads: a thread that was stopped before its call would keep the others from
  // theirs.
  const SlowCall call;
  t_woken = {&segment, number};
  shm::WakeUps& words = segment.control->wake_ups;
  words.calls.fetch_add(1, std::memory_order_release);
  const long result = syscall(SYS_futex, &words.calls, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  if (result < 0) stop_waking_of_this_thread();  // a seccomp filter forbids it
}

void wake_if_asleep(const Segment& segment) {
  const std::uint32_t number = number_of_sleep(segment);
  if (shm::is_asleep(number)) wake(segment, number);
}

}  // namespace

std::uint64_t check_consumer_sleep(const Segment& segment, const shm::RingMetadata& ring) {
  if (segment.sub_buffer_bytes != 0 || t_is_silent) return UINT64_MAX;
  const std::uint64_t part = segment.layout.ring_bytes / shm::kWakeUpParts;
  const std::uint64_t published = load_local(rs_thread_state.published);
  // First this word, which seldom changes, and not the consumer's position, which always does.
  const std::uint32_t number = number_of_sleep(segment);
  if (!shm::is_asleep(number)) return published + part;
  // Any value may be in shared memory. One that is too old brings this thread here too soon.
  const std::uint64_t consumed =
      std::min(ring.consumer.consumer_pos.load(std::memory_order_relaxed), published);
  if (published - consumed < part) return consumed + part;
  wake(segment, number);
  return published + part;
}

std::uint64_t end_before_sleep_check(std::uint64_t space_end, std::uint64_t next_check) {
  t_space_end = space_end;
  return std::min(space_end, next_check);
}

bool is_only_to_check_sleep(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  rs_thread& t = rs_thread_state;
  const std::uint64_t known = load_local(t.limit);
  if ((start & RS_NO_RING) != 0 || bytes == 0 || known == 0 || tsc > load_local(t.clock_due) ||
      start + bytes > load_local(t_space_end)) {
    return false;
  }
  const std::uint64_t next = check_consumer_sleep(*attached_segment(), *attached_ring());
  // A handler may have set another limit.
  exchange_local(&t.limit, known, limit_for(std::min(load_local(t_space_end), next)));
  return true;
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
