#include "libagent/recording/ring_attachment.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include <sys/prctl.h>

#include "libagent/process/alternate_stack.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/process/standard_error.hpp"
#include "libagent/recording/call_cost.hpp"
#include "libagent/recording/consumer_wait.hpp"
#include "libagent/recording/consumer_wake.hpp"
#include "libagent/recording/free_rings.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/nested_records.hpp"
#include "libagent/recording/oldest_records.hpp"
#include "libagent/recording/requested_stack.hpp"
#include "libagent/recording/ring_memory.hpp"
#include "libagent/recording/segment_growth.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "libagent/recording/signals_blocked.hpp"
#include "libagent/recording/thread_context.hpp"
#include "libagent/recording/truncation_guard.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kRingRetryAfterNs = 100'000'000;

// Our ring and what the trace has reported about it; used off the hot path only.
struct Attachment {
  Segment* segment = nullptr;
  shm::RingMetadata* ring = nullptr;
  std::byte* base = nullptr;
};
thread_local Attachment t_attachment;
// Set in a child that has a record of its parent on its stack, see abandon_ring().
thread_local bool t_orphaned = false;
std::uint64_t g_nowhere = 0;  // where such a record is published, or one in a truncated segment

void forget_ring() {
  rs_thread& t = rs_thread_state;
  t.limit = 0;
  t.pos = RS_NO_RING;
  t.published = UINT64_MAX;  // no record that is being written may be published any more
  t_attachment.ring = nullptr;
  end_measuring();
}

bool is_orphaned() {
  const rs_thread& t = rs_thread_state;
  return t_orphaned && (SlowCall::inherited() > 0 || t.pos != t.published);
}

// Under the agent's lock: reported once, because later refusals are counted.
bool g_refusal_reported = false;

// Why this thread has no ring, so that each of its log calls costs little more than counting.
struct Refusal {
  std::uint64_t until_ns = 0;  // CLOCK_MONOTONIC; 0 if there was none
  Attached result = Attached::kYes;
};
thread_local Refusal t_refusal;

Attached refuse(Attached result) {
  t_refusal = {monotonic_ns() + kRingRetryAfterNs, result};
  return result;
}

pthread_key_t g_exit_key;
bool g_exit_key_made = false;

enum class At { thread_end, move };

void give_up_ring(At at) {
  const SlowPathLock lock;  // because it blocks signals: no handler may see this half done
  shm::RingMetadata* const ring = t_attachment.ring;
  if (ring == nullptr) return;
  if (at == At::thread_end && !was_made_around_fork()) settle_at_thread_end();
  forget_ring();
  if (was_made_around_fork()) return;
  Segment& segment = *t_attachment.segment;
  segment.ring_owner[static_cast<std::size_t>(ring - segment.rings)] = 0;
  note_ring_left(segment, static_cast<std::uint32_t>(ring - segment.rings));
  // Release: the consumer's acquire of the state sees the final positions and counters.
  ring->identity.state.store(static_cast<std::uint32_t>(shm::RingState::kRetired),
                             std::memory_order_release);
  end_move(agent());
}

// The last log calls of a thread may come from other destructors of its thread-local storage, after
// this one: they attach again, and POSIX then runs this destructor again.
void retire_ring(void* /*marker*/) {
  give_up_ring(At::thread_end);
  free_thread_context();
  free_stacked_calls();
  take_alternate_stack_back();
}

void reset_counters(shm::CountersLine& counters) {
  counters.dropped_total.store(0, std::memory_order_relaxed);
  counters.dropped_ring_full.store(0, std::memory_order_relaxed);
  counters.dropped_consumer_absent.store(0, std::memory_order_relaxed);
  counters.cut_records.store(0, std::memory_order_relaxed);
  counters.blocked_count.store(0, std::memory_order_relaxed);
  counters.blocked_ticks.store(0, std::memory_order_relaxed);
  counters.dropped_quarantined.store(0, std::memory_order_relaxed);
  counters.dropped_abandoned.store(0, std::memory_order_relaxed);
}

// For a ring that is overwritten: discards the former owner's records before the metadata of the
// new one are visible, and counts those that no snapshot has.
void take_over_records(Segment& segment, std::uint32_t index) {
  shm::RingMetadata& ring = segment.rings[index];
  const std::uint32_t generation = ring.identity.generation.load(std::memory_order_relaxed);
  if (generation != 0) {
    const std::uint64_t used =
        numbers_used(segment, ring, segment.ring_base[index].load(std::memory_order_relaxed));
    const std::uint64_t taken =
        ring.consumer.generation.load(std::memory_order_relaxed) == generation
            ? ring.consumer.next_sequence.load(std::memory_order_relaxed)
            : 0;
    segment.control->service.overwritten_streams_lost.fetch_add(used > taken ? used - taken : 0,
                                                                std::memory_order_relaxed);
  }
  give_up_all_records(ring, ring.producer.producer_pos.load(std::memory_order_relaxed));
}

void claim(Segment& segment, std::uint32_t index) {
  shm::RingMetadata& ring = segment.rings[index];
  shm::IdentityLine& identity = ring.identity;
  if (segment.sub_buffer_bytes != 0) take_over_records(segment, index);
  identity.state.store(static_cast<std::uint32_t>(shm::RingState::kClaiming),
                       std::memory_order_relaxed);
  identity.stream_id =
      segment.control->service.next_stream_id.fetch_add(1, std::memory_order_relaxed);
  identity.start_pos = ring.producer.producer_pos.load(std::memory_order_relaxed);
  identity.start_tsc = rs_clock();
  identity.thread_id = current_thread_id();
  segment.ring_owner[index] = identity.thread_id;
  std::memset(identity.thread_name, 0, sizeof identity.thread_name);
  prctl(PR_GET_NAME, identity.thread_name);
  reset_counters(ring.counters);
  reset_own_drops(segment, index);
  begin_measuring(segment, index, identity.start_pos);
  begin_nesting(segment.nested[index]);
  // Pairs with the consumer's acquire, which comes after it has seen a producer_pos of this owner.
  identity.generation.store(identity.generation.load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
  identity.state.store(static_cast<std::uint32_t>(shm::RingState::kActive),
                       std::memory_order_release);

  rs_thread& t = rs_thread_state;
  t.producer_pos = reinterpret_cast<std::uint64_t*>(&ring.producer.producer_pos);
  t.max_record_bytes = shm::max_record_bytes(segment.layout.ring_bytes);
  t.published = identity.start_pos;
  t.clock_due = 0;  // the first record is preceded by a clock record
  t.limit = 0;
  t.pos = identity.start_pos;
  begin_ring_memory(segment, index, identity.start_tsc);
  t_attachment.base = segment.ring_base[index].load(std::memory_order_relaxed);
  t_attachment.segment = &segment;
  t_attachment.ring = &ring;
  note_ring_taken(segment, index);
}

// When the library is loaded, among the first constructors: values of the first 32 keys need no
// memory, which a signal handler could not allocate.
__attribute__((constructor(101))) void make_exit_key() {
  g_exit_key_made = pthread_key_create(&g_exit_key, retire_ring) == 0;
}

// A shared library that contains this one may be unloaded before its threads end.
__attribute__((destructor)) void delete_exit_key() {
  const SlowPathLock lock;
  if (std::exchange(g_exit_key_made, false)) pthread_key_delete(g_exit_key);
}

}  // namespace

void arrange_retirement() {
  if (g_exit_key_made) pthread_setspecific(g_exit_key, &t_attachment);
}

shm::RingMetadata* attached_ring() {
  return t_attachment.ring;
}

Segment* attached_segment() {
  return t_attachment.segment;
}

void publish_nowhere(const Segment& truncated) {
  if (t_attachment.ring == nullptr || t_attachment.segment != &truncated) return;
  rs_thread& t = rs_thread_state;
  __atomic_store_n(&t.producer_pos, &g_nowhere, __ATOMIC_RELAXED);
  __atomic_store_n(&t.limit, std::uint64_t{0}, __ATOMIC_RELAXED);
}

void leave_replaced_segment() {
  give_up_ring(At::move);
}

std::byte* attached_base() {
  return t_attachment.base;
}

void abandon_ring() {
  t_refusal = {};
  SlowCall::inherit();
  rs_thread& t = rs_thread_state;
  if (t_attachment.ring == nullptr || (SlowCall::depth() == 0 && t.pos == t.published)) {
    if (!t_orphaned) forget_ring();
    return;
  }
  t_orphaned = true;
  t.limit = 0;
  t.producer_pos = &g_nowhere;
  t_attachment.ring = nullptr;
  end_measuring();
}

void forget_orphaned_record() {
  if (!t_orphaned) return;
  t_orphaned = false;
  forget_ring();
}

namespace {

// With `waits`, a refusal is not final as long as a ring may come: `*waits` is set accordingly.
Attached attach_ring_or_throw(Agent& a, bool* waits) {
  if (waits != nullptr) *waits = false;
  const SlowCall call;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  if (!lock.is_taken()) return Attached::kNoRing;
  if (t_attachment.ring != nullptr) return Attached::kYes;  // a signal handler was faster
  if (is_orphaned()) return Attached::kNoRing;
  t_orphaned = false;
  if (was_made_around_fork()) {
    a.refused.fetch_add(1, std::memory_order_relaxed);
    return Attached::kForeign;
  }
  if (!ensure_segment(a)) {
    const bool disabled = a.state.load(std::memory_order_relaxed) == State::disabled;
    return disabled ? Attached::kDisabled : Attached::kNoMemory;
  }
  look_after_segments_in_log_call(a);
  Segment& segment = *a.segment.load(std::memory_order_relaxed);
  if (segment.is_truncated.load(std::memory_order_relaxed)) return Attached::kNoMemory;
  std::uint32_t index = find_ring(segment, true);
  if (index >= segment.layout.ring_count) {
    retire_rings_of_dead_threads(segment);
    index = find_ring(segment, true);
  }
  // The next thread finds a drained ring: short threads must not make their number of rings grow.
  const bool is_short_of_rings = index >= segment.rings_used && segment.sub_buffer_bytes == 0;
  if (is_short_of_rings && ring_may_come(segment)) wake_consumer(segment);
  if (waits != nullptr && index >= segment.layout.ring_count && ring_may_come(segment)) {
    *waits = true;
    return Attached::kNoRing;
  }
  if (index >= segment.layout.ring_count) {
    a.message = "all " + std::to_string(segment.layout.ring_count) + " rings of " + segment.path +
                " are taken; raise " +
                (segment.layout.ring_count < a.options.max_threads
                     ? "the limit on the size of files (ulimit -f)"
                     : "RINGSIDE_MAX_THREADS");
    return refuse(Attached::kNoRing);
  }
  if (segment.ring_base[index].load(std::memory_order_relaxed) == nullptr) {
    std::byte* base = nullptr;
    if (monotonic_ns() >= a.retry_at_ns.load(std::memory_order_relaxed)) {
      GrowthFailure failure;
      base = map_ring(segment, index, &failure);
      if (base == nullptr) {
        a.retry_at_ns.store(monotonic_ns() + kRingRetryAfterNs, std::memory_order_relaxed);
        a.message =
            message_of(failure, "a ring of " + std::to_string(segment.layout.ring_bytes) + " bytes",
                       segment.path);
        if (failure.step != GrowthFailure::Step::reach)
          a.message += " or lower RINGSIDE_RING_BYTES";
        if (!std::exchange(g_refusal_reported, true)) {
          report(a.message + "; threads without a ring are not traced until this succeeds");
        }
      }
    }
    if (base != nullptr) {
      segment.ring_base[index].store(base, std::memory_order_relaxed);
      segment.rings_used = index + 1;
      // Release: the consumer's acquire of rings_used sees the metadata and reserved memory.
      segment.control->service.rings_used.store(index + 1, std::memory_order_release);
    } else if (segment.sub_buffer_bytes != 0) {
      index = find_ring(segment, false);
      base = segment.ring_base[index].load(std::memory_order_relaxed);
    }
    if (base == nullptr && waits != nullptr && ring_may_come(segment)) {
      *waits = true;
      return Attached::kNoMemory;
    }
    if (base == nullptr) return refuse(Attached::kNoMemory);
  }
  t_refusal = {};
  segment.ring_awaited_in_vain.store(false, std::memory_order_relaxed);
  a.message.clear();
  a.dropped_by_former_owners += segment.rings[index].counters.dropped_total.load(
      std::memory_order_relaxed);  // before claim() restarts the count
  keep_counters_of_former_owner(a, segment.rings[index].counters);
  claim(segment, index);
  arrange_retirement();
  // Without one, the overflow of this thread's stack has no record.
  give_alternate_stack();
  return Attached::kYes;
}

// One attempt: without signals, and without log calls of an allocator that it calls.
Attached try_attach(Agent& a, bool* waits) {
  const SignalsBlocked blocked;
  const ReentryGuard guard;  // also while an exception is freed
  try {
    return attach_ring_or_throw(a, waits);
  } catch (const std::exception&) {  // not even for a message
    if (waits != nullptr) *waits = false;
    return Attached::kNoMemory;
  }
}

}  // namespace

// With the policy `block`, waits for a ring as it waits for space: without the lock, and with
// signals unblocked.
Attached attach_ring() {
  if (ReentryGuard::is_active()) return Attached::kNoRing;
  if (t_refusal.until_ns != 0 && monotonic_ns() < t_refusal.until_ns) return t_refusal.result;
  Agent& a = agent();
  bool waits = false;
  unblock_sigbus();
  Attached attached = try_attach(a, &waits);
  Segment* const segment = waits ? a.segment.load(std::memory_order_acquire) : nullptr;
  if (segment == nullptr) return attached;
  const SlowCall call;
  ConsumerWait wait(*segment);
  if (!segment->ring_awaited_in_vain.load(std::memory_order_relaxed) && wait.begin()) {
    while (waits && wait.go_on()) attached = try_attach(a, &waits);
    if (!waits) return attached;
    if (wait.was_live()) segment->ring_awaited_in_vain.store(true, std::memory_order_relaxed);
  }
  return try_attach(a, nullptr);
}

shm::LossCause cause_of(Attached attached) {
  switch (attached) {
    case Attached::kNoRing:
      return shm::LossCause::kNoRing;
    case Attached::kNoMemory:
      return shm::LossCause::kNoSharedMemory;
    case Attached::kYes:
    case Attached::kForeign:
    case Attached::kDisabled:
      break;
  }
  return shm::LossCause::kUnknown;
}

}  // namespace ringside
