#include "libagent/ring_attachment.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libagent/call_cost.hpp"
#include "libagent/environment.hpp"
#include "libagent/loss_count.hpp"
#include "libagent/oldest_records.hpp"
#include "libagent/segment_file.hpp"
#include "libagent/slow_call.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kRingRetryAfterNs = 100'000'000;

// Which ring is ours and what the trace has been told about it; touched off the hot path only.
struct Attachment {
  shm::RingMetadata* ring = nullptr;
  std::byte* base = nullptr;
};
thread_local Attachment t_attachment;
// Set in a child that has a record of its parent's on its stack, see abandon_ring().
thread_local bool t_orphaned = false;
std::uint64_t g_nowhere = 0;  // where such a record is published

void forget_ring() {
  rs_thread& t = rs_thread_state;
  t.limit = 0;
  t.pos = RS_NO_RING;
  t.published = UINT64_MAX;  // no record that is being written may publish any more
  t_attachment.ring = nullptr;
  end_measuring();
}

bool is_orphaned() {
  const rs_thread& t = rs_thread_state;
  return t_orphaned && (SlowCall::inherited() > 0 || t.pos != t.published);
}

// Under the agent's lock: said once, as the refusals to come are counted.
bool g_refusal_reported = false;

// Why this thread has no ring, so that each of its log calls costs little more than being counted.
struct Refusal {
  std::uint64_t until_ns = 0;  // CLOCK_MONOTONIC; 0 if there was none
  Attached result = Attached::kYes;
};
thread_local Refusal t_refusal;

Attached refuse(Attached result) {
  t_refusal = {monotonic_ns() + kRingRetryAfterNs, result};
  return result;
}

std::uint32_t current_thread_id() {
  return static_cast<std::uint32_t>(syscall(SYS_gettid));
}

pthread_key_t g_exit_key;
bool g_exit_key_made = false;

// The last log calls of a thread may come from other destructors of its thread-local storage,
// after this one: they attach again, and POSIX then runs this destructor once more.
void retire_ring(void* /*marker*/) {
  const SlowPathLock lock;  // for its blocking of signals: no handler may find half of this done
  shm::RingMetadata* const ring = t_attachment.ring;
  if (ring == nullptr) return;
  forget_ring();
  if (was_made_around_fork()) return;
  Segment& segment = *agent().segment.load(std::memory_order_relaxed);
  segment.ring_owner[static_cast<std::size_t>(ring - segment.rings)] = 0;
  // Release: the consumer's acquire of the state sees the final positions and counters.
  ring->identity.state.store(static_cast<std::uint32_t>(shm::RingState::kRetired),
                             std::memory_order_release);
}

bool is_drained(const shm::RingMetadata& ring) {
  return ring.consumer.generation.load(std::memory_order_relaxed) ==
             ring.identity.generation.load(std::memory_order_relaxed) &&
         // Pairs with the consumer's release after its last read of the ring's bytes.
         ring.consumer.consumer_pos.load(std::memory_order_acquire) ==
             ring.producer.producer_pos.load(std::memory_order_relaxed) &&
         ring.consumer.booked_drops.load(std::memory_order_relaxed) ==
             ring.counters.dropped_total.load(std::memory_order_relaxed);
}

// A ring whose thread ended and whose last byte and loss have been consumed, else a new one.
// Rings that are overwritten keep what ended threads recorded as long as there are new ones (and
// `new_ones`, memory for them), and go to others in turn then. Lock held. ring_count if there is
// none.
std::uint32_t find_ring(Segment& segment, bool new_ones) {
  static std::uint32_t hint = 0;  // where the last search ended: thread churn finds one at once
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

// A thread that was not made by pthread_create runs no destructors: nobody retires its ring. Lock
// held by the caller. Asks the kernel about every ring's thread, so not too often.
void retire_rings_of_dead_threads(Segment& segment) {
  static std::uint64_t next_look_ns = 0;
  const std::uint64_t now_ns = monotonic_ns();
  if (now_ns < next_look_ns) return;
  next_look_ns = now_ns + kRingRetryAfterNs;
  const std::uint32_t own_id = current_thread_id();
  for (std::uint32_t i = 0; i < segment.rings_used; ++i) {
    const std::uint32_t owner = segment.ring_owner[i];
    if (owner == 0) continue;
    // Whoever looks for a ring has none: one that bears its number had an owner of that number.
    const bool lives =
        owner != own_id && (syscall(SYS_tgkill, getpid(), owner, 0) == 0 || errno != ESRCH);
    if (lives) continue;
    segment.ring_owner[i] = 0;
    // As in retire_ring(). What the thread had published before it ended is all that it recorded.
    segment.rings[i].identity.state.store(static_cast<std::uint32_t>(shm::RingState::kRetired),
                                          std::memory_order_release);
  }
}

void reset_counters(shm::CountersLine& counters) {
  counters.dropped_total.store(0, std::memory_order_relaxed);
  counters.dropped_ring_full.store(0, std::memory_order_relaxed);
  counters.dropped_consumer_absent.store(0, std::memory_order_relaxed);
  counters.cut_records.store(0, std::memory_order_relaxed);
  counters.blocked_count.store(0, std::memory_order_relaxed);
  counters.blocked_ticks.store(0, std::memory_order_relaxed);
  counters.dropped_quarantined.store(0, std::memory_order_relaxed);
}

// Of a ring that is overwritten: what the former owner recorded is given up before anything tells
// of the new one, and counted as far as no snapshot has it.
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
  begin_measuring(segment, index, identity.start_pos);
  // Pairs with the consumer's acquire, which comes after it has seen a producer_pos of ours.
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
  t_attachment.base = segment.ring_base[index].load(std::memory_order_relaxed);
  t_attachment.ring = &ring;
}

// When the library is loaded, among the first: values of the first 32 keys need no memory, which a
// signal handler could not allocate.
__attribute__((constructor(101))) void make_exit_key() {
  g_exit_key_made = pthread_key_create(&g_exit_key, retire_ring) == 0;
}

// A shared library that contains this one may be unloaded before its threads end.
__attribute__((destructor)) void delete_exit_key() {
  const SlowPathLock lock;
  if (std::exchange(g_exit_key_made, false)) pthread_key_delete(g_exit_key);
}

void arrange_retirement() {
  if (g_exit_key_made) pthread_setspecific(g_exit_key, &t_attachment);
}

}  // namespace

shm::RingMetadata* attached_ring() {
  return t_attachment.ring;
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

namespace {

Attached attach_ring_or_throw(Agent& a) {
  const SlowCall call;
  const SlowPathLock lock;
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
  Segment& segment = *a.segment.load(std::memory_order_relaxed);
  std::uint32_t index = find_ring(segment, true);
  if (index >= segment.layout.ring_count) {
    retire_rings_of_dead_threads(segment);
    index = find_ring(segment, true);
  }
  if (index >= segment.layout.ring_count) {
    a.message = "all " + std::to_string(segment.layout.ring_count) + " rings of " + segment.path +
                " are taken; raise RINGSIDE_MAX_THREADS";
    return refuse(Attached::kNoRing);
  }
  if (segment.ring_base[index].load(std::memory_order_relaxed) == nullptr) {
    std::byte* base = nullptr;
    if (monotonic_ns() >= a.retry_at_ns.load(std::memory_order_relaxed)) {
      base = map_ring(segment, index);
      if (base == nullptr) {
        a.retry_at_ns.store(monotonic_ns() + kRingRetryAfterNs, std::memory_order_relaxed);
        a.message = "no memory for a ring of " + std::to_string(segment.layout.ring_bytes) +
                    " bytes in " + segment.path +
                    "; enlarge the shared-memory file system (in a container: --shm-size) or "
                    "lower RINGSIDE_RING_BYTES";
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
    if (base == nullptr) return refuse(Attached::kNoMemory);
  }
  t_refusal = {};
  a.message.clear();
  a.dropped_by_former_owners += segment.rings[index].counters.dropped_total.load(
      std::memory_order_relaxed);  // before claim() begins to count anew
  keep_counters_of_former_owner(a, segment.rings[index].counters);
  claim(segment, index);
  arrange_retirement();
  return Attached::kYes;
}

}  // namespace

Attached attach_ring() {
  if (t_refusal.until_ns != 0 && monotonic_ns() < t_refusal.until_ns) return t_refusal.result;
  try {
    return attach_ring_or_throw(agent());
  } catch (const std::exception&) {  // not even for a message
    return Attached::kNoMemory;
  }
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

RS_THREAD_LOCAL rs_thread rs_thread_state
    __attribute__((tls_model("initial-exec"))) = {.pos = RS_NO_RING,
                                                  .limit = 0,
                                                  .published = UINT64_MAX,
                                                  .clock_due = 0,
                                                  .place = 0,
                                                  .producer_pos = nullptr,
                                                  .slow_tsc = 0,
                                                  // A thread without a ring takes
                                                  // the path that attaches first and
                                                  // then knows what is too large.
                                                  .max_record_bytes = 0};
