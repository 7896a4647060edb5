// The slow path of a reservation: first use, a new lap, a new clock epoch, a full ring.
//
// A signal handler may log at any point of this, also into the same functions. This is safe for
// three reasons. `pos` changes by single instructions only (rs_fetch_add_local, exchange_local). A
// handler gives back unused reservations before it returns. If a caller's reservation is no longer
// at the end of `pos`, a handler has successfully recorded after it.

#include "libagent/process/local_word.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/call_cost.hpp"
#include "libagent/recording/consumer_wake.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/nested_records.hpp"
#include "libagent/recording/requested_stack.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "libagent/recording/slow_reservation.hpp"
#include "libagent/recording/stated_context.hpp"
#include "libagent/recording/timed_checks.hpp"
#include "shm-layout/loss_cause.hpp"

namespace {

// A logging thread checks about once a second whether the segment's file still has its name.
void look_if_due(std::uint64_t tsc) {
  using namespace ringside;
  if (attached_ring() == nullptr || !take_file_check(tsc, *attached_segment())) return;
  look_after_unread_segment();
}

std::uint64_t reserve_slowly(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  using namespace ringside;
  rs_thread& t = rs_thread_state;
  const bool was_attached = (start & RS_NO_RING) == 0;
  if (!exchange_local(&t.pos, start + bytes, start) && was_attached) {
    // A handler has recorded after our bytes, which is only possible within the limit.
    ++t_holding;
    return start;
  }
  look_if_due(tsc);
  const bool is_between_records = SlowCall::depth() == 1 && load_local(t.pos) == t.published;
  if (attached_ring() != nullptr && attached_segment()->is_truncated.load()) {
    const bool is_replaced = replace_truncated_segment(*attached_segment());
    if (!is_replaced || !is_between_records) return dropped(shm::LossCause::kNoSharedMemory);
  }
  if (attached_ring() != nullptr && is_between_records &&
      attached_segment() != agent().segment.load(std::memory_order_acquire)) {
    leave_replaced_segment();
  }
  if (attached_ring() == nullptr) {
    const Attached attached = attach_ring();
    if (attached != Attached::kYes) return dropped(cause_of(attached));
  }
  // Read once: a handler that forks removes both from the child, but not the memory that they refer
  // to.
  register_context();
  Segment* const segment = attached_segment();
  shm::RingMetadata* const ring = attached_ring();
  if (segment == nullptr || ring == nullptr) return dropped(shm::LossCause::kNoRing);
  // A record that the consumer stamps has no time, but may still begin a lap.
  const std::uint64_t reserved =
      reserve_in_ring(*segment, *ring, bytes, tsc != 0 ? tsc : rs_clock());
  if (attached_ring() == nullptr) t.limit = 0;  // see abandon_ring()
  if (reserved >= RS_DROPPED) look_after_unread_segment();
  return reserved;
}

std::uint64_t waits_of_this_thread() {
  const ringside::shm::RingMetadata* const ring = ringside::attached_ring();
  return ring != nullptr ? ring->counters.blocked_count.load(std::memory_order_relaxed) : 0;
}

// The reservation again, if abandoned calls precede it.
std::uint64_t settled(std::uint64_t start, std::uint64_t bytes) {
  rs_thread& t = rs_thread_state;
  using namespace ringside;
  const bool is_outermost = load_local(t.published) == start || (start & RS_NO_RING) != 0;
  if (is_outermost && SlowCall::depth() == 0) return start;
  if (!exchange_local(&t.pos, start + bytes, start)) return start;
  settle_abandoned_calls();
  return rs_fetch_add_local(&t.pos, bytes);
}

}  // namespace

std::uint64_t rs_reserve_slow(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  using namespace ringside;
  if (is_stack_requested() && bytes != 0) return reserve_with_stack(start, bytes, tsc);
  rs_thread& t = rs_thread_state;
  start = settled(start, bytes);
  const bool measures = measures_calls();
  if (measures && is_only_to_be_measured(start, bytes, tsc)) {
    t.slow_tsc = tsc;  // at the end, as below
    return start;
  }
  if (!measures && is_only_to_check_sleep(start, bytes, tsc)) {
    t.slow_tsc = tsc;
    return start;
  }
  MeasuredCall measured{.begin_tsc = begin_of_call(tsc)};
  if (measures && measured.begin_tsc == 0) measured.entered = rs_clock();
  const SlowCall call;
  ++t_reserving;
  const std::uint64_t waits = measures ? waits_of_this_thread() : 0;
  const shm::RingMetadata* const ring_before = attached_ring();
  const std::uint64_t reserved = reserve_slowly(start, bytes, tsc);
  if (measures_calls() && bytes != 0) {
    measured.waited = waits_of_this_thread() != waits;
    // A thread that had no ring has no place for its record in it.
    const bool had_ring = (start & RS_NO_RING) == 0 && ring_before == attached_ring();
    const std::uint64_t wanted = had_ring                 ? start
                                 : reserved >= RS_DROPPED ? load_local(t.pos)
                                                          : reserved;
    measure_slow_call(measured, wanted, reserved, bytes);
  }
  // In this order: a call that is abandoned between them has left a gap, by which it is counted.
  if (t_reserving != 0) --t_reserving;
  if (reserved < RS_DROPPED && t_holding != 0) --t_holding;
  t.slow_tsc = tsc;  // at the end: a handler in between has left its own
  return reserved;
}
