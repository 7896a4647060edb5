#include "libagent/recording/nested_records.hpp"

#include <algorithm>
#include <cstring>

#include "libagent/process/local_word.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/signal_frame.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/call_cost.hpp"
#include "libagent/recording/oldest_records.hpp"
#include "libagent/recording/requested_stack.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/ring_drops.hpp"
#include "libagent/recording/signals_blocked.hpp"
#include "libagent/recording/slow_reservation.hpp"
#include "libagent/recording/stated_context.hpp"

namespace ringside {
namespace {

// In the order of positions, never adjacent. The segment has the same ranges, but others may write
// to it. Signals are blocked during every change.
struct Nesting {
  shm::NestedRecords* words = nullptr;
  std::size_t count = 0;
  bool incomplete = false;  // there were more ranges than fit
  shm::WholeRanges range{};

  // A process may be killed between any two stores. The old content of `place` is noted elsewhere,
  // or is part of `range`.
  void set(std::size_t place, const shm::WholeRange& to) {
    shm::NestedRange& word = words->range[place];
    if (range[place].begin != to.begin && range[place].end != to.end) {
      word.end.store(0, std::memory_order_release);
    }
    word.begin.store(to.begin, std::memory_order_release);
    word.end.store(to.end, std::memory_order_release);
    range[place] = to;
  }

  bool covers(std::uint64_t begin, std::uint64_t end) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (range[i].begin <= begin && range[i].end >= end) return true;
    }
    return begin >= end || incomplete;
  }

  // Ranges before `published` are void. (rs_publish_rest stores one less for a moment.)
  void note(std::uint64_t published, std::uint64_t begin, std::uint64_t end) {
    if (count != 0 && range[count - 1].end <= published) {
      count = 0;
      incomplete = false;
    }
    std::size_t next = count;
    while (next != 0 && range[next - 1].begin >= end) --next;
    const bool joins_former = next != 0 && range[next - 1].end == begin;
    const bool joins_next = next != count && range[next].begin == end;
    if (joins_former && joins_next) {
      set(next - 1, {range[next - 1].begin, range[next].end});
      for (std::size_t i = next; i + 1 < count; ++i) set(i, range[i + 1]);
      set(--count, {0, 0});
    } else if (joins_former) {
      set(next - 1, {range[next - 1].begin, end});
    } else if (joins_next) {
      set(next, {begin, range[next].end});
    } else if (count == shm::kNestedRanges) {
      incomplete = true;
    } else {
      for (std::size_t i = count; i != next; --i) set(i, range[i - 1]);
      set(next, {begin, end});
      ++count;
    }
  }
};
constinit thread_local Nesting t_nesting;
// Begin of the bytes that rs_publish_rest publishes; void once they are published.
constinit thread_local std::uint64_t t_rest_begin = 0;

// In the second copy, which is always mapped.
void write_gap(const std::byte* base, std::uint64_t ring_bytes, const shm::WholeRange& gap) {
  const std::uint64_t head = shm::gap_head(gap);
  std::memcpy(const_cast<std::byte*>(base) + ring_bytes + (gap.begin & (ring_bytes - 1)), &head,
              sizeof head);
}

// Publishes all reserved bytes. Incomplete bytes from `at` belong to calls that were abandoned.
// Returns the number of gaps that they leave. Signals are blocked.
std::uint64_t publish_all(const Segment& segment, std::uint64_t at) {
  rs_thread& t = rs_thread_state;
  Nesting& n = t_nesting;
  std::uint64_t gaps = 0;
  const auto skip_to = [&](std::uint64_t end) {
    if (end <= at) return;
    write_gap(attached_base(), segment.layout.ring_bytes, {at, end});
    ++gaps;
  };
  for (std::size_t i = 0; i < n.count; ++i) {
    skip_to(n.range[i].begin);
    at = std::max(at, n.range[i].end);
  }
  skip_to(t.pos);
  n.count = 0;
  n.incomplete = false;
  // As in rs_publish.
  __atomic_store_n(t.producer_pos, t.pos, __ATOMIC_RELEASE);
  t.published = t.pos;
  return gaps;
}

// A handler has left a record that its own handler interrupted; all have returned.
void publish_past_gaps(std::uint64_t begin) {
  const SignalsBlocked blocked;
  const rs_thread& t = rs_thread_state;
  const Segment* const segment = attached_segment();
  shm::RingMetadata* const ring = attached_ring();
  if (segment == nullptr || ring == nullptr) {  // see abandon_ring()
    rs_thread_state.published = t.pos;
    return;
  }
  count_abandoned(*ring, publish_all(*segment, begin));
  // The gap may have a clock record, or a context.
  begin_lap_next();
  forget_stated_context();
}

// Signals are blocked, and this thread is not inside a call.
void settle() {
  const rs_thread& t = rs_thread_state;
  const Segment* const segment = attached_segment();
  shm::RingMetadata* const ring = attached_ring();
  if (segment != nullptr && ring != nullptr) {
    std::uint64_t lost = t_reserving > t_holding ? t_reserving - t_holding : 0;
    std::uint64_t at = t.published;
    // A call may have been abandoned between the two stores of its publication.
    const std::uint64_t stored = ring->producer.producer_pos.load(std::memory_order_relaxed);
    if (stored > at && stored <= t.pos) at = stored;
    if (t_rest_begin > at && t_rest_begin <= t.pos) at = t_rest_begin;
    // Or at the end of a measured call: its 8 bytes are not a record.
    if (t_measured_end == at && at != t.pos) --lost;
    lost += publish_all(*segment, at);
    t_measured_end = 0;
    begin_lap_next();
    forget_stated_context();
    count_abandoned(*ring, lost);
  }
  forget_orphaned_record();
  forget_stacked_records();
  t_reserving = 0;
  t_holding = 0;
  forget_interrupted_give_up();
  SlowCall::forget_all();
}

bool is_anything_under_way() {
  const rs_thread& t = rs_thread_state;
  const std::uint64_t pos = load_local(t.pos);
  return SlowCall::depth() != 0 || ((pos & RS_NO_RING) == 0 && pos != load_local(t.published));
}

std::uint64_t oldest_pos_in(const shm::RingMetadata& ring, bool overwritten) {
  if (!overwritten) return ring.consumer.consumer_pos.load(std::memory_order_relaxed);
  const auto oldest = shm::load_oldest(ring.producer.oldest);
  return oldest ? oldest->pos : 0;
}

}  // namespace

void begin_nesting(shm::NestedRecords& words) {
  Nesting& n = t_nesting;
  n.words = &words;
  n.count = 0;
  n.incomplete = false;
  t_rest_begin = 0;
  forget_stacked_records();
  for (std::size_t i = 0; i < shm::kNestedRanges; ++i) n.set(i, {0, 0});
}

namespace {

void note_whole(std::uint64_t begin, std::uint64_t end) {
  const SignalsBlocked blocked;
  if (t_nesting.words != nullptr && attached_ring() != nullptr) {
    t_nesting.note(rs_thread_state.published, begin, end);
  }
}

}  // namespace

void settle_abandoned_calls() {
  if (!is_anything_under_way() || ReentryGuard::is_active() || runs_in_signal_handler()) return;
  const SignalsBlocked blocked;
  settle();
}

void settle_at_thread_end() {
  if (is_anything_under_way()) settle();
}

void publish_nested_of_dead_thread(Segment& segment, std::uint32_t index) {
  const std::byte* const base = segment.ring_base[index].load(std::memory_order_relaxed);
  if (base == nullptr) return;
  shm::ProducerLine& producer = segment.rings[index].producer;
  const std::uint64_t ring_bytes = segment.layout.ring_bytes;
  const std::uint64_t end = producer.producer_pos.load(std::memory_order_relaxed);
  const std::uint64_t oldest = oldest_pos_in(segment.rings[index], segment.sub_buffer_bytes != 0);
  const shm::NestedRest rest =
      shm::nested_rest(shm::load_nested(segment.nested[index]), end, oldest + ring_bytes);
  for (std::size_t i = 0; i < rest.gap_count; ++i) write_gap(base, ring_bytes, rest.gaps[i]);
  producer.producer_pos.store(rest.end, std::memory_order_release);
}

}  // namespace ringside

void rs_publish_nested(std::uint64_t start, std::uint64_t bytes) {
  if (const auto stacked = ringside::complete_stacked(start)) {
    rs_publish(stacked->begin, stacked->bytes);
    return;
  }
  if (bytes != 0) ringside::note_whole(start, start + bytes);
  ringside::settle_abandoned_calls();
}

void rs_publish_rest() {
  using namespace ringside;
  rs_thread& t = rs_thread_state;
  std::uint64_t begin = load_local(t.published);
  if (t_measured_end != 0) begin += end_measured_call();
  std::uint64_t end = 0;
  do {
    // No record starts there, so that a handler counts as nested from here. If it found the ring
    // published up to `pos`, it would publish by itself, and the store below would undo that. It
    // sees the limit of an overwritten ring one byte lower than possible. An earlier handler may
    // have published, so this is one instruction.
    begin = std::max(begin, rs_fetch_add_local(&t.published, ~std::uint64_t{0}));
    t_rest_begin = begin;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    end = load_local(t.pos);
    if (!t_nesting.covers(begin, end)) return publish_past_gaps(begin);
    // As in rs_publish, and in the same order.
    __atomic_store_n(t.producer_pos, end, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&t.published, end, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } while (load_local(t.pos) != end);
}
