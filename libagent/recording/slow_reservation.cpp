#include "libagent/recording/slow_reservation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <ctime>

#include "libagent/process/local_word.hpp"
#include "libagent/process/running_processor.hpp"
#include "libagent/recording/consumer_wake.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/nested_records.hpp"
#include "libagent/recording/oldest_records.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/ring_drops.hpp"
#include "libagent/recording/ring_memory.hpp"
#include "libagent/recording/space_wait.hpp"
#include "libagent/recording/stated_context.hpp"
#include "libagent/recording/timed_checks.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

// Losses that drop records in the ring report, by cause.
thread_local std::array<std::uint64_t, shm::kDropCauses.size()> t_marked_drops{};
thread_local std::uint64_t t_lap_end = 0;
// The code of the processor that the ring states for the next record.
constexpr std::uint32_t kNoStatement = UINT32_MAX;
thread_local std::uint32_t t_stated_processor = kNoStatement;
thread_local std::uint32_t t_generation = 0;

class SlowReservation {
 public:
  SlowReservation(Segment& segment, shm::RingMetadata& ring)
      : ring_(ring),
        base_(reinterpret_cast<std::uint64_t>(attached_base())),
        ring_bytes_(segment.layout.ring_bytes),
        sub_buffer_bytes_(segment.sub_buffer_bytes),
        segment_(segment),
        waiter_(segment, ring) {
    const std::uint32_t generation = ring.identity.generation.load(std::memory_order_relaxed);
    if (t_generation != generation || t_.clock_due == 0) {
      t_generation = generation;
      t_marked_drops = {};
      t_lap_end = 0;
      begin_without_context();
    }
  }

  std::uint64_t reserve(std::uint64_t bytes, std::uint64_t tsc) {
    tsc_ = tsc;
    check_processor(tsc);
    // Before any wait for space.
    next_sleep_check_ = check_consumer_sleep(segment_, ring_);
    for (bool states_processor = processor_due();;) {
      const std::uint64_t start = load_local(t_.pos);
      const bool marks_drop = drop_due();
      const rs_site* const context = marks_drop ? nullptr : context_to_state();
      // Of what comes next. The record may be smaller than what precedes it, and each of them must
      // be within the lap.
      const std::uint64_t next_bytes = marks_drop           ? std::uint64_t{shm::kDropRecordBytes}
                                       : context != nullptr ? context_bytes(context)
                                                            : bytes;
      const std::uint64_t end = start + next_bytes;
      if (states_processor || clock_due(end, tsc)) {
        if (!append_clock(tsc, bytes + most_context_bytes())) return drop();
        states_processor = false;
        continue;
      }
      if (!make_space(end)) return drop();
      if (marks_drop) {
        append_drop_mark(start, tsc);
        continue;
      }
      if (context != nullptr) {
        append_context(context, start, tsc);
        continue;
      }
      if (exchange_local(&t_.pos, start, end)) {
        ++t_holding;
        refresh_limit();
        return start;
      }
    }
  }

 private:
  // How far the producer may write: space_limit() and what has memory or, for a ring that is
  // overwritten, a whole ring ahead of its oldest record.
  std::uint64_t limit() const {
    if (sub_buffer_bytes_ == 0) {
      return std::min(space_limit(ring_, ring_bytes_), ring_memory_end());
    }
    return std::min(oldest_pos(), load_local(t_.published)) + ring_bytes_;
  }

  bool make_space(std::uint64_t end) {
    if (end <= limit()) return true;
    if (sub_buffer_bytes_ == 0) {
      const bool has_space =
          end <= space_limit(ring_, ring_bytes_) || waiter_.wait(end, ring_bytes_);
      return has_space && (end <= ring_memory_end() || back_ring(growing(), end, tsc_, waiter_));
    }
    while (end <= load_local(t_.published) + ring_bytes_ && give_up() == GiveUp::done) {
      if (end <= limit()) return true;
    }
    return false;
  }

  GrowingRing growing() const {
    return {segment_, ring_, reinterpret_cast<std::byte*>(base_), t_lap_end};
  }

  GiveUp give_up() const {
    return give_up_oldest(segment_, ring_, reinterpret_cast<const std::byte*>(base_));
  }

  // Opens a sub-buffer with space for the next one reserved too, for handlers that log while the
  // next one is opened and the oldest is discarded.
  void make_room_ahead(std::uint64_t bytes) {
    for (;;) {
      const std::uint64_t start = load_local(t_.pos);
      if (start + bytes + sub_buffer_bytes_ <= oldest_pos() + ring_bytes_) return;
      const GiveUp result = give_up();
      if (result == GiveUp::done) continue;
      if (result == GiveUp::unsound && load_local(t_.published) == start) {
        // A handler that logs from here also begins with a clock record.
        t_lap_end = 0;
        return_here_next();
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        give_up_uncounted(ring_, start);
      }
      return;
    }
  }

  // The limit is the consumer's, but never beyond this lap: the lap's end brings the next clock
  // record. Nor beyond the next check whether the consumer sleeps.
  void refresh_limit() {
    const std::uint64_t end =
        end_before_sleep_check(std::min(limit(), t_lap_end), next_sleep_check_);
    __atomic_store_n(&t_.limit, limit_for(end), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    // A handler may have dropped a record before the line above.
    if (drop_due() || is_truncated()) return_here_next();
  }

  // After a drop the next record must come here, even if there is space by then: the drop record
  // must precede it.
  void return_here_next() { __atomic_store_n(&t_.limit, std::uint64_t{0}, __ATOMIC_RELAXED); }

  bool clock_due(std::uint64_t end, std::uint64_t tsc) const {
    return end > t_lap_end || is_clock_record_due(tsc);
  }

  // Every slow path checks the processor, and one comes when the last check is too long ago.
  void check_processor(std::uint64_t tsc) {
    if (segment_.processor_interval_ticks == Segment::kNoInterval) return;
    processor_ = running_processor();
    plan_after_processor_check(tsc, segment_);
  }

  bool processor_due() const {
    return segment_.processor_interval_ticks != Segment::kNoInterval &&
           processor_ != t_stated_processor;
  }

  // By cause, not by the total: a handler may find the total one short of the causes (count_drop).
  bool drop_due() const {
    for (std::size_t i = 0; i < shm::kDropCauses.size(); ++i) {
      if (drops(i) != load_local(t_marked_drops[i])) return true;
    }
    return false;
  }

  std::uint64_t drops(std::size_t cause) const {
    return drops_of(ring_.counters, shm::kDropCauses[cause]).load(std::memory_order_relaxed);
  }

  bool is_truncated() const { return segment_.is_truncated.load(std::memory_order_relaxed); }

  std::uint64_t drop() {
    // Not counted in a ring of a truncated segment, which no consumer may read any more.
    if (is_truncated()) return dropped(shm::LossCause::kNoSharedMemory);
    count_drop(ring_, waiter_.cause());
    return_here_next();
    return dropped(waiter_.cause());
  }

  // A control record with its own reservation, published like any record. False, and nothing, if a
  // handler has recorded at `start`.
  template <class Fill>
  bool append_at(std::uint64_t start, std::uint64_t bytes, Fill&& fill) {
    if (!exchange_local(&t_.pos, start, start + bytes)) return false;
    ++t_holding;
    fill(start);
    rs_publish(start, bytes);
    --t_holding;
    return true;
  }

  // Opens a lap with room for a record of `bytes`.
  bool append_clock(std::uint64_t tsc, std::uint64_t bytes) {
    std::uint64_t lap_bytes = 0;
    if (sub_buffer_bytes_ != 0) {
      lap_bytes = std::max(sub_buffer_bytes_, shm::kClockRecordBytes + bytes);
      make_room_ahead(lap_bytes);
    }
    const auto fill = [this, tsc, lap_bytes](std::uint64_t start) {
      timespec now{};
      clock_gettime(CLOCK_REALTIME, &now);
      const std::uint64_t words[3] = {shm::make_clock_head(tsc, processor_), tsc,
                                      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                                          static_cast<std::uint64_t>(now.tv_nsec)};
      // The place first: with the new place, the end of the preceding lap is still a valid limit.
      const std::uint64_t first = base_ + ring_bytes_ + (start & (ring_bytes_ - 1));
      __atomic_store_n(&t_.place, first - start, __ATOMIC_RELAXED);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      t_lap_end = start + (sub_buffer_bytes_ != 0 ? lap_bytes : lap_bytes_from(segment_, start));
      std::memcpy(rs_place(start), words, sizeof words);
      plan_after_clock_record(tsc, segment_);
      t_stated_processor = processor_;
      // A snapshot may begin with this sub-buffer.
      if (sub_buffer_bytes_ != 0) forget_stated_context();
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      // A handler that has recorded since may have stated another one.
      if (load_local(t_.pos) != start + shm::kClockRecordBytes) t_stated_processor = kNoStatement;
    };
    // Wherever: its lap begins with it.
    for (;;) {
      const std::uint64_t start = load_local(t_.pos);
      // Again where a handler has recorded: it may have used the room.
      if (sub_buffer_bytes_ == 0 && !prepare_lap(growing(), shm::kClockRecordBytes + bytes, tsc)) {
        return false;
      }
      if (!make_space(start + shm::kClockRecordBytes)) return false;
      if (append_at(start, shm::kClockRecordBytes, fill)) return true;
    }
  }

  void append_context(const rs_site* site, std::uint64_t start, std::uint64_t tsc) {
    append_at(start, context_bytes(site),
              [site, tsc](std::uint64_t at) { store_context(site, tsc, rs_place(at)); });
  }

  // A mark for one cause with drops; the caller checks whether there are more.
  void append_drop_mark(std::uint64_t start, std::uint64_t tsc) {
    append_at(start, shm::kDropRecordBytes, [this, tsc](std::uint64_t at) {
      // A handler between these lines may have marked them all: then nothing is left to report.
      std::uint64_t words[3] = {shm::make_head(shm::kDropRecordBytes, shm::kCodePad), 0, 0};
      for (std::size_t i = 0; i < shm::kDropCauses.size(); ++i) {
        const std::uint64_t marked = load_local(t_marked_drops[i]);
        const std::uint64_t total = drops(i);
        if (total == marked || !exchange_local(&t_marked_drops[i], marked, total)) continue;
        words[0] = shm::make_head(tsc, shm::kCodeDrop);
        words[1] = total - marked;
        words[2] = static_cast<std::uint32_t>(shm::kDropCauses[i]);
        break;
      }
      std::memcpy(rs_place(at), words, sizeof words);
    });
  }

  rs_thread& t_ = rs_thread_state;
  shm::RingMetadata& ring_;
  const std::uint64_t base_;  // address of the ring's first copy
  const std::uint64_t ring_bytes_;
  const std::uint64_t sub_buffer_bytes_;  // 0: the ring is drained, and a lap has its length
  std::uint64_t next_sleep_check_ = 0;    // position
  std::uint32_t processor_ = 0;           // at the check of this call
  std::uint64_t tsc_ = 0;                 // of this call
  Segment& segment_;
  SpaceWait waiter_;
};

}  // namespace

std::uint64_t reserve_in_ring(Segment& segment, shm::RingMetadata& ring, std::uint64_t bytes,
                              std::uint64_t tsc) {
  return SlowReservation(segment, ring).reserve(bytes, tsc);
}

void begin_lap_next() {
  t_lap_end = 0;
  rs_thread_state.limit = 0;
}

}  // namespace ringside
