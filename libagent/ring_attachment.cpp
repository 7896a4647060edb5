#include "libagent/ring_attachment.hpp"

#include <cstring>
#include <exception>
#include <pthread.h>
#include <unistd.h>
#include <utility>

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libagent/environment.hpp"
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
}

bool is_orphaned() {
  const rs_thread& t = rs_thread_state;
  return t_orphaned && (SlowCall::inherited() > 0 || t.pos != t.published);
}

// Under the agent's lock: said once, as the refusals to come are counted.
bool g_refusal_reported = false;

pthread_key_t g_exit_key;
bool g_exit_key_made = false;

// The last log calls of a thread may come from other destructors of its thread-local storage,
// after this one: they attach again, and POSIX then runs this destructor once more.
void retire_ring(void* /*marker*/) {
  const SlowPathLock lock;  // for its blocking of signals: no handler may find half of this done
  shm::RingMetadata* const ring = t_attachment.ring;
  if (ring == nullptr) return;
  forget_ring();
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
// Lock held. ring_count if there is none.
std::uint32_t find_ring(Segment& segment) {
  static std::uint32_t hint = 0;  // where the last search ended: thread churn finds one at once
  shm::ServiceLine& line = segment.control->service;
  const std::uint32_t used = line.rings_used.load(std::memory_order_relaxed);
  for (std::uint32_t step = 0; step < used; ++step) {
    const std::uint32_t index = (hint + step) % used;
    const shm::RingMetadata& ring = segment.rings[index];
    if (ring.identity.state.load(std::memory_order_relaxed) ==
            static_cast<std::uint32_t>(shm::RingState::kRetired) &&
        is_drained(ring)) {
      hint = index + 1;
      return index;
    }
  }
  return used;
}

void reset_counters(shm::CountersLine& counters) {
  counters.dropped_total.store(0, std::memory_order_relaxed);
  counters.dropped_ring_full.store(0, std::memory_order_relaxed);
  counters.dropped_consumer_absent.store(0, std::memory_order_relaxed);
  counters.cut_records.store(0, std::memory_order_relaxed);
  counters.blocked_count.store(0, std::memory_order_relaxed);
  counters.blocked_ticks.store(0, std::memory_order_relaxed);
}

void claim(Segment& segment, std::uint32_t index) {
  shm::RingMetadata& ring = segment.rings[index];
  shm::IdentityLine& identity = ring.identity;
  identity.state.store(static_cast<std::uint32_t>(shm::RingState::kClaiming),
                       std::memory_order_relaxed);
  identity.stream_id =
      segment.control->service.next_stream_id.fetch_add(1, std::memory_order_relaxed);
  identity.start_pos = ring.producer.producer_pos.load(std::memory_order_relaxed);
  identity.start_tsc = rs_clock();
  identity.thread_id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  std::memset(identity.thread_name, 0, sizeof identity.thread_name);
  prctl(PR_GET_NAME, identity.thread_name);
  reset_counters(ring.counters);
  // Pairs with the consumer's acquire, which comes after it has seen a producer_pos of ours.
  identity.generation.store(identity.generation.load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
  identity.state.store(static_cast<std::uint32_t>(shm::RingState::kActive),
                       std::memory_order_release);

  rs_thread& t = rs_thread_state;
  t.producer_pos = reinterpret_cast<std::uint64_t*>(&ring.producer.producer_pos);
  t.max_record_bytes = segment.header->max_record_bytes;
  t.published = identity.start_pos;
  t.clock_due = 0;  // the first record is preceded by a clock record
  t.limit = 0;
  t.pos = identity.start_pos;
  t_attachment.base = segment.ring_base[index].load(std::memory_order_relaxed);
  t_attachment.ring = &ring;
}

void arrange_retirement() {
  if (!g_exit_key_made) g_exit_key_made = pthread_key_create(&g_exit_key, retire_ring) == 0;
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
}

namespace {

bool attach_ring_or_throw(Agent& a) {
  const SlowCall call;
  const SlowPathLock lock;
  if (t_attachment.ring != nullptr) return true;  // a signal handler was faster
  if (is_orphaned()) {
    a.refused.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  t_orphaned = false;
  if (!ensure_segment(a)) {
    if (a.state.load(std::memory_order_relaxed) != State::disabled) {
      a.refused.fetch_add(1, std::memory_order_relaxed);
    }
    return false;
  }
  Segment& segment = *a.segment.load(std::memory_order_relaxed);
  const std::uint32_t index = find_ring(segment);
  if (index >= segment.layout.ring_count) {
    segment.control->losses.no_ring.fetch_add(1, std::memory_order_relaxed);
    a.message = "all " + std::to_string(segment.layout.ring_count) + " rings of " + segment.path +
                " are taken; raise RINGSIDE_MAX_THREADS";
    a.refused.fetch_add(1, std::memory_order_relaxed);
    return false;
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
    if (base == nullptr) {
      segment.control->losses.no_memory.fetch_add(1, std::memory_order_relaxed);
      a.refused.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    segment.ring_base[index].store(base, std::memory_order_relaxed);
    // Release: the consumer's acquire of rings_used sees the metadata and reserved memory.
    segment.control->service.rings_used.store(index + 1, std::memory_order_release);
  }
  a.message.clear();
  a.dropped_by_former_owners += segment.rings[index].counters.dropped_total.load(
      std::memory_order_relaxed);  // before claim() begins to count anew
  claim(segment, index);
  arrange_retirement();
  return true;
}

}  // namespace

bool attach_ring() {
  Agent& a = agent();
  try {
    return attach_ring_or_throw(a);
  } catch (const std::exception&) {  // no memory, even for a message
    a.refused.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
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
