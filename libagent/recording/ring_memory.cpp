#include "libagent/recording/ring_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include <sys/mman.h>

#include "libagent/process/page_size.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/signal_frame.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/process/standard_error.hpp"
#include "libagent/recording/huge_pages.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/segment_growth.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "libagent/recording/signals_blocked.hpp"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace ringside {
namespace {

constexpr std::uint64_t kFirstPartBytes = 16U << 10;
constexpr std::uint64_t kSlowPartBytes = 32U << 10;
constexpr std::uint64_t kPartBytes = 64U << 10;
constexpr std::uint64_t kLeastUnit = 16U << 10;
// A ring that takes at least this long for kSlowPartBytes is filled slowly. The system calls of a
// part are then rare in time, and a record in a thousand at most is delayed by them.
constexpr std::uint64_t kSlowSeconds = 10;
constexpr std::uint64_t kGrowthRetryAfterNs = 100'000'000;

struct Growth {
  RingMemory* memory = nullptr;   // in the segment: it outlives the thread
  std::uint64_t part_tsc = 0;     // when the last part was backed, or the last lap began
  std::uint64_t retry_at_ns = 0;  // for memory; 0: nothing was refused
  std::uint64_t map_again_at_ns = 0;
  std::uint64_t reported_for_ns = 0;  // one of the two, when it was reported last
  bool is_kept_whole = false;
};
constinit thread_local Growth t_growth;
std::atomic<bool> g_growth_refusal_reported{false};

constexpr std::uint64_t round_down(std::uint64_t pos, std::uint64_t unit) {
  return pos / unit * unit;
}

// Parts begin and end at multiples of this, unless there is not enough memory. Whole pages: the
// kernel gives a page back as a whole, with the records that are in its other part.
std::uint64_t part_unit() {
  return std::max<std::uint64_t>(kLeastUnit, page_bytes());
}

std::uint64_t slow_part_bytes() {
  return std::max<std::uint64_t>(kSlowPartBytes, 2 * page_bytes());
}

bool is_slow(const Segment& segment, std::uint64_t tsc, std::uint64_t bytes) {
  const std::uint64_t ticks = segment.ticks_per_second * kSlowSeconds * (bytes / kSlowPartBytes);
  return static_cast<std::int64_t>(tsc - t_growth.part_tsc) > static_cast<std::int64_t>(ticks);
}

// Positions before it will not be read again. Not beyond what is published, whatever shared memory
// says.
std::uint64_t drained_pos(const GrowingRing& r) {
  return space_limit(r.ring, r.segment.layout.ring_bytes) - r.segment.layout.ring_bytes;
}

// Calls `use(address, bytes)` for the places of positions [from, to), at most a ring, in its second
// copy; false at the first failure.
template <class Use>
bool in_second_copy(const GrowingRing& r, std::uint64_t from, std::uint64_t to, Use&& use) {
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  while (from < to) {
    const std::uint64_t place = from & (ring_bytes - 1);
    const std::uint64_t bytes = std::min(to - from, ring_bytes - place);
    if (!use(r.base + ring_bytes + place, bytes)) return false;
    from += bytes;
  }
  return true;
}

void give_back(const GrowingRing& r, std::uint64_t from, std::uint64_t to) {
  in_second_copy(r, from, to, [](std::byte* place, std::uint64_t bytes) {
    // Frees the pages in the file, in all mappings. Fails in a process that locks its memory.
    return madvise(place, bytes, MADV_REMOVE) == 0;
  });
}

// Of the ring in the file of its segment.
std::uint64_t offset_of(const GrowingRing& r) {
  const auto index = static_cast<std::uint64_t>(&r.ring - r.segment.rings);
  return r.segment.layout.rings_offset + index * r.segment.layout.ring_bytes;
}

// For kernels before 5.14: the file first, then the pages by touching them.
int back_by_file(const GrowingRing& r, std::byte* place, std::uint64_t bytes) {
  if (ReentryGuard::is_active()) return EAGAIN;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  if (!lock.is_taken()) return EAGAIN;
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  const auto in_ring = static_cast<std::uint64_t>(place - r.base) & (ring_bytes - 1);
  const GrowthFailure failure = reserve(r.segment.descriptor, offset_of(r) + in_ring, bytes);
  if (failure) return failure.error;
  map_pages(place, bytes);
  return 0;
}

// Backs and maps `bytes` that hold no records. Returns 0 or an error number.
int back(const GrowingRing& r, std::byte* place, std::uint64_t bytes) {
  const int error = back_pages(place, bytes);
  return error == EINVAL ? back_by_file(r, place, bytes) : error;
}

// Backs positions [from, to) where their records will be written: in the present lap, or in the
// next one, which begins at most a record before the present one ends. Returns 0 or an error
// number.
int back_positions(const GrowingRing& r, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  // A page at the end of the lap belongs to it.
  const std::uint64_t in_lap = std::clamp(shm::round_up(r.lap_end, page_bytes()), from, to);
  int error = 0;
  if (from < in_lap) {
    error = back(r, reinterpret_cast<std::byte*>(rs_place(from)), in_lap - from);
  }
  if (error != 0 || in_lap == to) return error;
  const std::uint64_t lap_begin = r.lap_end != 0 ? r.lap_end - 1 : rs_thread_state.pos;
  const std::uint64_t first = lap_begin & ~(ring_bytes - 1);  // at the begin of the second copy
  return back(r, r.base + ring_bytes + (in_lap - first), to - in_lap);
}

// Extends the memory up to `end` or beyond. Returns 0 or an error number.
int extend_memory(const GrowingRing& r, std::uint64_t end) {
  RingMemory& m = *t_growth.memory;
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  const std::uint64_t whole = m.begin + ring_bytes;
  end = std::min(end, whole);
  // Without the third copy, positions after the first round have no place yet; no record needs
  // them.
  if (!m.has_all_copies) end = std::min(end, ring_bytes);
  const int error = back_positions(r, m.end, end);
  if (error != 0) {
    give_back(r, m.end, end);
    return error;
  }
  m.end = end == whole ? kWholeRing : end;
  return 0;
}

// Bytes at the begin of the memory that are drained, in whole units.
std::uint64_t drained_bytes(const GrowingRing& r, std::uint64_t unit) {
  const RingMemory& m = *t_growth.memory;
  const std::uint64_t to = round_down(std::min(drained_pos(r), m.end), unit);
  return to > m.begin ? to - m.begin : 0;
}

void shed(const GrowingRing& r, std::uint64_t bytes) {
  RingMemory& m = *t_growth.memory;
  give_back(r, m.begin, m.begin + bytes);
  m.begin += bytes;
}

// Without further memory: drained pages, all of them, become the next ones. False if they are too
// few to reach `end`.
bool use_drained_again(const GrowingRing& r, std::uint64_t end) {
  const RingMemory& m = *t_growth.memory;
  std::uint64_t reach = m.end + drained_bytes(r, page_bytes());
  if (!m.has_all_copies) reach = std::min(reach, r.segment.layout.ring_bytes);
  const std::uint64_t needed = shm::round_up(end, page_bytes());
  if (reach < needed) return false;
  shed(r, reach - m.end);
  // Less, if another program was faster.
  return extend_memory(r, reach) == 0 || extend_memory(r, needed) == 0;
}

// Signals are blocked: a handler that logs does the same.
bool try_to_back(const GrowingRing& r, std::uint64_t end, std::uint64_t tsc) {
  const SignalsBlocked blocked;
  Growth& g = t_growth;
  RingMemory& m = *g.memory;
  if (end <= m.end) return true;  // a handler was faster
  const std::uint64_t unit = part_unit();
  const bool slow = is_slow(r.segment, tsc, kSlowPartBytes);
  if (g.retry_at_ns == 0 || monotonic_ns() >= g.retry_at_ns) {
    const std::uint64_t part = round_down(m.end, unit) +
                               (slow ? slow_part_bytes() : std::max(kPartBytes, slow_part_bytes()));
    const int error = extend_memory(r, std::max(part, shm::round_up(end, unit)));
    if (error == 0) {
      if (slow) shed(r, m.end == kWholeRing ? 0 : drained_bytes(r, unit));
      g.part_tsc = tsc;
      g.retry_at_ns = 0;
      return true;
    }
    g.retry_at_ns = monotonic_ns() + kGrowthRetryAfterNs;
  }
  if (!use_drained_again(r, end)) return false;
  g.part_tsc = tsc;
  return true;
}

// The reason of a refusal is in status().message until there is memory again. Perhaps the file was
// truncated: then the next log call gets another segment.
// `retry_at_ns`: when it is tried again; 0: there was no refusal.
void report_growth(const Segment& segment, const GrowthFailure& failure,
                   std::uint64_t retry_at_ns) {
  Growth& g = t_growth;
  if (retry_at_ns == g.reported_for_ns || ReentryGuard::is_active() || SlowCall::depth() != 1)
    return;
  // A handler may have interrupted an allocation, and a message needs one.
  if (can_see_signal_frames() && runs_in_signal_handler()) return;
  try {
    const SlowPathLock lock(SlowPathLock::Wait::bounded);
    if (!lock.is_taken()) return;
    g.reported_for_ns = retry_at_ns;
    Agent& a = agent();
    a.message.clear();
    if (failure) look_after_segments_in_log_call(a);
    if (!failure || segment.is_truncated.load(std::memory_order_relaxed)) return;
    a.message =
        message_of(failure, "more of a ring", segment.path) + " or lower RINGSIDE_RING_BYTES";
    if (!g_growth_refusal_reported.exchange(true)) {
      report(a.message + "; rings stay small until this succeeds");
    }
  } catch (const std::exception&) {  // no memory for the message either
  }
}

constexpr GrowthFailure kNoFailure{};
constexpr GrowthFailure kNoSpace{GrowthFailure::Step::reserve, ENOSPC};

// Where a mapping cannot be duplicated, as in valgrind.
bool map_by_file(const GrowingRing& r) {
  if (ReentryGuard::is_active()) return false;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  return lock.is_taken() && map_other_copies_by_file(r.segment, offset_of(r), r.base);
}

// Whether the ring can be the target of records anywhere.
bool map_all_copies(const GrowingRing& r) {
  RingMemory& m = *t_growth.memory;
  if (m.has_all_copies) return true;
  const SignalsBlocked blocked;
  if (!map_other_copies(r.segment, r.base) && !map_by_file(r)) return false;
  m.has_all_copies = true;
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  // From now on records are written to any page of the second and third copy.
  if (m.end == kWholeRing) map_pages(r.base + 2 * ring_bytes, ring_bytes);
  return true;
}

// A whole ring that took long to fill becomes a small one again.
void shrink_idle_ring(const GrowingRing& r, std::uint64_t tsc) {
  Growth& g = t_growth;
  RingMemory& m = *g.memory;
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  if (m.end != kWholeRing || g.is_kept_whole || ring_bytes <= kPartBytes) return;
  const bool slow = is_slow(r.segment, tsc, ring_bytes);
  g.part_tsc = tsc;
  if (!slow) return;
  const SignalsBlocked blocked;
  const std::uint64_t pos = rs_thread_state.pos;
  if (drained_pos(r) != pos) return;
  m.begin = round_down(pos, part_unit());
  m.end = m.begin + slow_part_bytes();
  give_back(r, m.end, m.begin + ring_bytes);
}

}  // namespace

int back_pages(std::byte* place, std::uint64_t bytes) {
  while (madvise(place, bytes, MADV_POPULATE_WRITE) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    return errno == EFAULT ? ENOSPC : errno;  // EFAULT: where an access would raise SIGBUS
  }
  return 0;
}

void map_pages(std::byte* place, std::uint64_t bytes) {
  if (madvise(place, bytes, MADV_POPULATE_WRITE) == 0 || errno != EINVAL) return;
  // Before Linux 5.14. Reading maps a page of shared memory for writing too.
  for (std::uint64_t at = 0; at < bytes; at += page_bytes()) {
    static_cast<void>(*reinterpret_cast<const volatile std::byte*>(place + at));
  }
}

std::uint64_t first_part_bytes(const Segment& segment) {
  const std::uint64_t ring_bytes = segment.layout.ring_bytes;
  // Two pages at least: without further memory one of them must be drained as a whole.
  const std::uint64_t part = std::max<std::uint64_t>(kFirstPartBytes, 2 * page_bytes());
  return segment.sub_buffer_bytes != 0 ? ring_bytes : std::min(ring_bytes, part);
}

void begin_ring_memory(Segment& segment, std::uint32_t index, std::uint64_t tsc) {
  RingMemory& memory = segment.ring_memory[index];
  // From shared memory, where others may write: then as if the ring had no memory yet.
  const std::uint64_t pos = rs_thread_state.pos;
  if (memory.end != kWholeRing && (pos < memory.begin || pos > memory.end)) {
    memory.begin = memory.end = round_down(pos, part_unit());
  }
  t_growth = {};
  t_growth.memory = &memory;
  t_growth.part_tsc = tsc;
}

std::uint64_t ring_memory_end() {
  return __atomic_load_n(&t_growth.memory->end, __ATOMIC_RELAXED);
}

bool back_ring(const GrowingRing& r, std::uint64_t end, std::uint64_t tsc, SpaceWait& waiter) {
  const std::uint64_t ring_bytes = r.segment.layout.ring_bytes;
  for (;;) {
    if (try_to_back(r, end, tsc)) {
      report_growth(r.segment, kNoFailure, 0);
      return true;
    }
    report_growth(r.segment, kNoSpace, t_growth.retry_at_ns);
    // The memory of which positions is needed for this record; it must have been published.
    const RingMemory m = *t_growth.memory;
    const std::uint64_t needed = m.begin + shm::round_up(end, page_bytes()) - m.end;
    const std::uint64_t published = __atomic_load_n(&rs_thread_state.published, __ATOMIC_RELAXED);
    if (m.end == kWholeRing) continue;  // by a handler
    if (needed > published || !waiter.wait(needed + ring_bytes, ring_bytes)) return false;
  }
}

std::uint64_t lap_bytes_from(const Segment& segment, std::uint64_t start) {
  const std::uint64_t ring_bytes = segment.layout.ring_bytes;
  if (t_growth.memory->has_all_copies) return ring_bytes;
  return start < ring_bytes ? ring_bytes - start : 0;
}

bool prepare_lap(const GrowingRing& r, std::uint64_t bytes, std::uint64_t tsc) {
  shrink_idle_ring(r, tsc);
  if (bytes <= lap_bytes_from(r.segment, rs_thread_state.pos)) return true;
  Growth& g = t_growth;
  if (g.map_again_at_ns != 0 && monotonic_ns() < g.map_again_at_ns) return false;
  if (map_all_copies(r)) return true;
  const GrowthFailure failure{GrowthFailure::Step::map, errno};
  g.map_again_at_ns = monotonic_ns() + kGrowthRetryAfterNs;
  report_growth(r.segment, failure, g.map_again_at_ns);
  return false;
}

bool keep_whole_ring() {
  Segment* const segment = attached_segment();
  const shm::RingMetadata* const ring = attached_ring();
  if (segment == nullptr || ring == nullptr) return false;
  t_growth.is_kept_whole = true;
  const SlowCall call;
  // Where the records of the present lap will be does not matter: all pages get mapped.
  const GrowingRing r{*segment, *ring, attached_base(), 0};
  bool is_whole = map_all_copies(r);
  if (is_whole && ring_memory_end() != kWholeRing) {
    const SignalsBlocked blocked;
    is_whole = extend_memory(r, UINT64_MAX) == 0;
    if (is_whole) map_pages(r.base + segment->layout.ring_bytes, 2 * segment->layout.ring_bytes);
  }
  if (is_whole && agent().huge_pages)
    use_huge_pages(r.base, kRingCopies * segment->layout.ring_bytes);
  report_growth(*segment, is_whole ? kNoFailure : kNoSpace, is_whole ? 0 : monotonic_ns());
  return is_whole;
}

}  // namespace ringside
