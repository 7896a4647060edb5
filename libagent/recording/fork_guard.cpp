#include "libagent/recording/fork_guard.hpp"

#include <new>
#include <pthread.h>

#include <sys/mman.h>

#include "libagent/recording/agent.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/segment_growth.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "libagent/recording/statement_registry.hpp"
#include "libagent/recording/truncation_guard.hpp"

namespace ringside {
namespace {

// Held by the forking thread from before the fork until after it, on both sides, so that the child
// never sees an incomplete registration.
alignas(SlowPathLock) unsigned char g_lock[sizeof(SlowPathLock)];

void before_fork() {
  new (g_lock) SlowPathLock;
}

void release() {
  std::launder(reinterpret_cast<SlowPathLock*>(g_lock))->~SlowPathLock();
}

// Removes the parent's ring from the child's address space. If the fork came from a signal handler,
// this thread may still be inside a log call: what it writes then goes to private memory of the
// child.
void detach_mapping(std::byte* base, std::uint64_t bytes, bool in_use) {
  if (in_use) {
    static_cast<void>(
        mmap(base, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  } else {
    munmap(base, bytes);
  }
}

// A segment of the parent.
void detach(Segment& segment, const shm::RingMetadata* own_ring) {
  for (std::uint32_t i = 0; i < segment.layout.ring_count; ++i) {
    std::byte* const base = segment.ring_base[i].load(std::memory_order_relaxed);
    if (base == nullptr) continue;
    detach_mapping(base, kRingCopies * segment.layout.ring_bytes, &segment.rings[i] == own_ring);
  }
  // Interrupted calls may still read it: they find an empty segment in private memory, and their
  // switch off if they were reading that. This costs address space, not memory.
  static_cast<void>(mmap(segment.head, segment.head_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0));
  segment.descriptor.close_own();
}

// The child has one thread, this one. It starts afresh: without segment, ring or ids. The parent's
// mappings and descriptor go, so that the parent's death can be detected.
void in_child() {
  is_a_process_of_its_own();
  Agent& a = agent();
  Segment* const segment = a.segment.exchange(nullptr, std::memory_order_relaxed);
  forget_registrations(a);
  const shm::RingMetadata* const own_ring = attached_ring();
  abandon_ring();
  forget_succession();
  forget_guarded();
  for (Segment* each = segment; each != nullptr; each = each->replaced) detach(*each, own_ring);
  if (segment != nullptr) {
    segment->former = a.former_segment;
    a.former_segment = segment;
  }
  const State state = a.state.load(std::memory_order_relaxed);
  if (state == State::live || state == State::failed) {
    a.state.store(State::idle, std::memory_order_relaxed);
  }
  a.refused.store(0, std::memory_order_relaxed);
  for (auto& refusals : a.unbooked_refusals) refusals.store(0, std::memory_order_relaxed);
  a.dropped_by_former_owners = 0;
  a.counted_for_former_owners = {};
  a.message.clear();
  release();
}

// When the library is loaded, before the first log call: a fork that began before its handlers were
// registered would give the child the lock while another thread holds it. Also before the
// constructors of a program that contains the library: they may log and fork.
__attribute__((constructor(101))) void watch_forks_from_the_start() {
  const SlowPathLock lock;
  watch_forks();
}

}  // namespace

void watch_forks() {
  static bool watching = false;
  if (watching) return;
  watching = pthread_atfork(before_fork, release, in_child) == 0;
}

}  // namespace ringside
