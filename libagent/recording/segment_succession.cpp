#include "libagent/recording/segment_succession.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <span>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

#include "libagent/process/clock_frequency.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/replacement_limit.hpp"
#include "libagent/process/signal_frame.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/process/standard_error.hpp"
#include "libagent/recording/free_rings.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/segment_file.hpp"
#include "libagent/recording/segment_growth.hpp"
#include "libagent/recording/segment_takeover.hpp"
#include "libagent/recording/truncated_segment.hpp"
#include "libagent/recording/unread_records.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/site_switch.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kSuccessionLookIntervalNs = 100'000'000;  // of all threads together
constexpr std::uint64_t kRetryAfterNs = 1'000'000'000;
constexpr std::uint64_t kHeartbeatBoundNs = 10'000'000'000;

// The switch that statements read while threads have to move.
std::uint8_t g_moving_switch = shm::kSwitchUnregistered;
std::atomic<bool> g_is_moving{false};
std::atomic<std::uint64_t> g_retry_at_ns{0};
bool g_failure_reported = false;
bool g_limit_reported = false;
bool g_lost_since_taken = false;
std::atomic<std::uint64_t> g_next_look_ns{0};

// False if signal frames cannot be seen: only ThreadSanitizer, in tests, hides them.
bool may_interrupt_allocator() {
  return can_see_signal_frames() && runs_in_signal_handler();
}

bool is_removed(Segment& segment) {
  if (segment.is_truncated.load(std::memory_order_relaxed)) segment.is_removed = true;
  if (segment.is_removed) return true;
  const int fd = segment.descriptor.get();
  struct stat info {};
  if (fd < 0) {
    // If the descriptor is lost too, a missing name is enough.
    segment.is_removed = errno == ENOENT || errno == ESTALE;
  } else if (fstat(fd, &info) == 0) {
    const bool is_truncated =
        static_cast<std::uint64_t>(info.st_size) < segment.layout.segment_bytes;
    if (is_truncated) segment.is_truncated.store(true, std::memory_order_release);
    segment.is_removed = is_truncated || info.st_nlink == 0;
  }
  return segment.is_removed;
}

// For a removed segment: no new consumer can come, so once it has none it never has one again.
bool has_consumer(Segment& segment) {
  if (segment.has_lost_head.load(std::memory_order_relaxed)) segment.consumer_is_gone = true;
  if (segment.consumer_is_gone) return false;
  const shm::ConsumerLine& line = segment.control->consumer;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = shm::kConsumerLockByte;
  lock.l_len = 1;
  if (const int fd = segment.descriptor.get(); fd >= 0) {
    segment.consumer_is_gone = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
  } else {
    const auto state = static_cast<shm::ConsumerState>(line.state.load(std::memory_order_relaxed));
    segment.consumer_is_gone =
        (state != shm::ConsumerState::kPolling && state != shm::ConsumerState::kStalled) ||
        line.heartbeat_monotonic_ns.load(std::memory_order_relaxed) + kHeartbeatBoundNs <
            monotonic_ns();
  }
  return !segment.consumer_is_gone;
}

bool has_owned_ring(const Segment& segment) {
  return std::any_of(segment.ring_owner.get(), segment.ring_owner.get() + segment.rings_used,
                     [](std::uint32_t owner) { return owner != 0; });
}

bool is_drained(const Segment& segment) {
  return std::none_of(segment.rings, segment.rings + segment.rings_used, has_unread_bytes);
}

// What is before the dictionary, without the parts that have no memory.
void copy_front(const Segment& segment, std::byte* copy) {
  const shm::SegmentLayout& layout = segment.layout;
  const std::uint64_t rings = segment.rings_reserved;
  const auto copy_part = [&](std::uint64_t offset, std::uint64_t bytes) {
    std::memcpy(copy + offset, segment.head + offset, static_cast<std::size_t>(bytes));
  };
  copy_part(0, layout.metadata_offset);
  copy_part(layout.metadata_offset, rings * sizeof(shm::RingMetadata));
  copy_part(layout.nested_offset, rings * sizeof(shm::NestedRecords));
  copy_part(layout.switches_offset, segment.switches_reserved);
}

// Gives back its rings and its lock, so that its consumer ends the trace. Later accesses to the
// rest find a copy.
void give_back(Segment& segment) {
  void* const copy = mmap(nullptr, segment.head_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) return;
  copy_front(segment, static_cast<std::byte*>(copy));
  segment.sites_counted.store(0, std::memory_order_relaxed);
  segment.sites_with_executions.store(0, std::memory_order_relaxed);
  if (mremap(copy, segment.head_bytes, segment.head_bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
             segment.head) == MAP_FAILED) {
    munmap(copy, segment.head_bytes);
    return;
  }
  for (std::uint32_t i = 0; i < segment.rings_used; ++i) {
    std::byte* const base = segment.ring_base[i].exchange(nullptr, std::memory_order_relaxed);
    if (base != nullptr) munmap(base, kRingCopies * segment.layout.ring_bytes);
  }
  segment.descriptor.close_own();
  segment.is_given_back.store(true, std::memory_order_relaxed);
}

void point_statements(Agent& agent, Segment& segment) {
  for (rs_site* site = agent.sites; site != nullptr; site = site->next) {
    if (__atomic_load_n(&site->state, __ATOMIC_RELAXED) == &rs_initial_switch) continue;
    __atomic_store_n(&site->state, place_of_switch(segment, static_cast<std::uint32_t>(site->id)),
                     __ATOMIC_RELEASE);
  }
}

void postpone(Agent& agent, std::uint64_t until_ns, std::string why, bool* is_reported) {
  g_retry_at_ns = until_ns;
  agent.message = std::move(why);
  if (!std::exchange(*is_reported, true)) report(agent.message);
}

void replace(Agent& agent, Segment& removed) {
  const std::uint64_t now_ns = monotonic_ns();
  if (now_ns < g_retry_at_ns) return;
  const bool is_truncated = removed.is_truncated.load(std::memory_order_relaxed);
  if (is_truncated && now_ns < next_replacement_ns()) {
    return postpone(agent, next_replacement_ns(), repeated_truncation_text(removed),
                    &g_limit_reported);
  }
  std::string why;
  std::unique_ptr<Segment> next = create_segment(agent.options, &why);
  if (next == nullptr || !take_over(agent, removed, *next)) {
    if (next != nullptr) {
      unlink(next->path.c_str());
      why = "no memory for the statements in " + next->path;
    }
    return postpone(agent, monotonic_ns() + kRetryAfterNs,
                    removed.path + " was " + (is_truncated ? "truncated" : "removed") +
                        " and cannot be replaced: " + why,
                    &g_failure_reported);
  }
  agent.message.clear();
  if (is_truncated) {
    count_replacement(now_ns);
    report_truncation(removed, *next);
    // No consumer can read it from now on.
    removed.descriptor.remove_name();
  } else {
    report("the trace segment " + removed.path +
           " was removed while in use: another program deletes files in " + agent.options.shm_dir +
           "; tracing continues in " + next->path +
           "; exclude ringside.* from cleaning (tmpfiles.d; RemoveIPC=no)");
  }
  next->replaced = &removed;
  Segment* const live = next.release();
  g_is_moving.store(has_owned_ring(removed) || g_is_moving.load(std::memory_order_relaxed),
                    std::memory_order_relaxed);
  agent.segment.store(live, std::memory_order_release);
  point_statements(agent, *live);
  book_refusals(agent);
}

}  // namespace

void look_after_segments(Agent& agent) {
  Segment* const segment = agent.segment.load(std::memory_order_relaxed);
  if (segment == nullptr || was_made_around_fork()) return;
  if (is_removed(*segment)) replace(agent, *segment);
  for (Segment* each = agent.segment.load(std::memory_order_relaxed); each != nullptr;
       each = each->replaced) {
    if (!each->is_removed || each->is_given_back.load(std::memory_order_relaxed)) continue;
    const std::uint64_t written_nowhere = count_written_nowhere(*each);
    if (written_nowhere != 0) g_lost_since_taken = true;
    count_as_lost_with_segment(agent, written_nowhere);
    const bool is_read = has_consumer(*each);
    note_told_refusals(*each, is_read);
    if (!is_read && count_unread_as_lost(agent, *each)) g_lost_since_taken = true;
    if (each == agent.segment.load(std::memory_order_relaxed)) continue;
    retire_rings_of_dead_threads(*each);
    if (!has_owned_ring(*each) && (!is_read || is_drained(*each))) give_back(*each);
  }
  end_move(agent);
}

void look_after_segments_in_log_call(Agent& agent) {
  Segment* const segment = agent.segment.load(std::memory_order_relaxed);
  if (segment == nullptr || was_made_around_fork()) return;
  if (const auto hz = refined_clock_frequency_hz()) {
    __atomic_store_n(&segment->header->tsc_frequency_hz, *hz, __ATOMIC_RELAXED);
  }
  const bool has_work = is_removed(*segment) || segment->replaced != nullptr;
  if (!has_work || may_interrupt_allocator()) return;
  look_after_segments(agent);
}

void look_after_unread_segment() {
  const Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr || ReentryGuard::is_active()) return;
  // The policy in force: ringctl can have changed it to drop, which makes no system call.
  const std::uint32_t policy =
      segment->control->service.overflow_policy.load(std::memory_order_relaxed);
  if (policy != static_cast<std::uint32_t>(shm::OverflowPolicy::kBlock)) return;
  const std::uint64_t now_ns = monotonic_ns();
  if (now_ns < g_next_look_ns.load(std::memory_order_relaxed)) return;
  g_next_look_ns.store(now_ns + kSuccessionLookIntervalNs, std::memory_order_relaxed);
  try {
    const SlowPathLock lock(SlowPathLock::Wait::bounded);
    if (lock.is_taken()) look_after_segments_in_log_call(agent());
  } catch (const std::exception&) {  // no memory: the next check tries again
  }
}

bool replace_truncated_segment(const Segment& truncated) {
  Agent& a = agent();
  const auto is_replaced = [&] { return a.segment.load(std::memory_order_acquire) != &truncated; };
  if (is_replaced()) return true;
  if (ReentryGuard::is_active() || monotonic_ns() < g_retry_at_ns) return false;
  try {
    const SlowPathLock lock(SlowPathLock::Wait::bounded);
    if (lock.is_taken()) look_after_segments_in_log_call(a);
  } catch (const std::exception&) {  // no memory: the next call tries again
  }
  return is_replaced();
}

std::uint8_t* place_of_switch(Segment& segment, std::uint32_t id) {
  return g_is_moving.load(std::memory_order_relaxed) ? &g_moving_switch : &segment.switches[id];
}

bool is_moving(const std::uint8_t* place_of_switch) {
  return place_of_switch == &g_moving_switch;
}

bool prepare_to_move(std::uint32_t site_id) {
  const Segment* const present = agent().segment.load(std::memory_order_acquire);
  const Segment* const own = attached_segment();
  if (attached_ring() == nullptr || own == nullptr || own == present) return true;
  __atomic_store_n(&rs_thread_state.limit, std::uint64_t{0}, __ATOMIC_RELAXED);
  const bool can_move = SlowCall::depth() == 1 && rs_thread_state.pos == rs_thread_state.published;
  return can_move || site_id <= own->site_count;
}

void end_move(Agent& agent) {
  Segment* const present = agent.segment.load(std::memory_order_relaxed);
  if (present == nullptr || !g_is_moving.load(std::memory_order_relaxed)) return;
  for (const Segment* each = present->replaced; each != nullptr; each = each->replaced) {
    if (has_owned_ring(*each)) return;
  }
  g_is_moving.store(false, std::memory_order_relaxed);
  point_statements(agent, *present);
}

bool take_lost_with_segment() {
  return std::exchange(g_lost_since_taken, false);
}

void forget_succession() {
  g_is_moving.store(false, std::memory_order_relaxed);
  g_lost_since_taken = false;
  g_failure_reported = false;
  g_limit_reported = false;
  forget_replacements();
  g_retry_at_ns = 0;
  g_next_look_ns.store(0, std::memory_order_relaxed);
}

}  // namespace ringside
