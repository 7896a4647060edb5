#include "libagent/recording/call_cost.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

#include "libagent/process/local_word.hpp"
#include "libagent/recording/agent.hpp"
#include "shm-layout/call_costs.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kHead = shm::kHeadBytes;  // the smallest record, and the smallest pad
constexpr std::uint64_t kFarGaps = 8;
constexpr std::uint64_t kSettlingGaps = 4;

struct Measuring {
  shm::CallCosts* costs = nullptr;  // null: nothing is measured
  std::uint64_t point = 0;          // the next point, or one already passed
  std::uint64_t space_end = 0;      // end of the space for the limit in force, unless that is 0
  std::uint64_t seed = 0;
  std::uint64_t most_gap = 0;  // the largest distance between points
  MeasuringTicks own;
};
constinit thread_local Measuring t_measuring;

// The call that t_measured_end belongs to.
struct CallUnderWay {
  std::uint64_t begin = 0;  // the begin plus the time to leave out
  bool waited = false;
};
constinit thread_local CallUnderWay t_under_way;

// The clock after all earlier instructions have been executed. Without the barrier, the copy of a
// long text could continue after the reading.
std::uint64_t settled_clock() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  __asm__ volatile("isb" : : : "memory");
#endif
  return rs_clock();
}

// One in `calls` is chosen: the mean of the smallest and the largest gap is 8 bytes for each call.
std::uint64_t most_gap_for(std::uint64_t calls) {
  return 2 * kHead * calls - kHead;
}

// From 8 to most_gap bytes, all equally likely.
std::uint64_t gap_after(std::uint64_t point) {
  std::uint64_t x = point + t_measuring.seed;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  x ^= x >> 31;
  const std::uint64_t choices = t_measuring.most_gap - kHead + 1;
  __extension__ using Wide = unsigned __int128;
  return kHead + static_cast<std::uint64_t>(static_cast<Wide>(x) * choices >> 64);
}

// A point as if the sequence had no beginning: after some gaps from a position before `pos`.
std::uint64_t point_far_from(std::uint64_t pos) {
  const std::uint64_t run = kSettlingGaps * t_measuring.most_gap;
  std::uint64_t offset = 0;
  while (offset < run) offset += gap_after(pos + offset);
  return pos + (offset - run);
}

// The first point at or after `pos`, given the point `point`.
std::uint64_t point_from(std::uint64_t point, std::uint64_t pos) {
  if (point < pos && pos - point > kFarGaps * t_measuring.most_gap) return point_far_from(pos);
  while (point < pos) point += gap_after(point);
  return point;
}

// Whether to measure the call whose record was to be [start, end). Moves the next point past it.
bool choose(std::uint64_t start, std::uint64_t end) {
  for (;;) {
    const std::uint64_t known = load_local(t_measuring.point);
    const std::uint64_t point = point_from(known, start);
    // A handler that has moved the point since has recorded after this call.
    if (exchange_local(&t_measuring.point, known, point_from(point, end))) {
      return point - start < kHead;
    }
  }
}

// Sets the limit to the next point, unless a handler has set another limit.
void move_limit() {
  std::uint64_t* const limit = &rs_thread_state.limit;
  const std::uint64_t known = load_local(*limit);
  const std::uint64_t space_end = load_local(t_measuring.space_end);
  const std::uint64_t wanted = limit_for(space_end);
  if (known != 0 && known != wanted) exchange_local(limit, known, wanted);
}

// Adds to a word that only this thread and its handlers write.
void add(std::atomic<std::uint64_t>& word, std::uint64_t number) {
  rs_fetch_add_local(reinterpret_cast<std::uint64_t*>(&word), number);
}

void count(std::uint64_t ticks, bool waited) {
  shm::CallCosts* const costs = t_measuring.costs;
  if (costs == nullptr) return;  // a handler has forked
  add(costs->all.ticks, ticks);
  if (waited) add(costs->all.waited, 1);
  add(costs->all.count[shm::cost_bucket(ticks)], 1);
}

// The call was chosen, and its record ends at `end`. The time since `own_begin` does not count.
void measure_to_the_end(const MeasuredCall& call, std::uint64_t end, std::uint64_t own_begin) {
  if (!exchange_local(&rs_thread_state.pos, end, end + kHead)) return;
  t_under_way.waited = call.waited;
  t_under_way.begin = call.begin_tsc != 0 ? call.begin_tsc + t_measuring.own.stamped
                                          : call.entered + t_measuring.own.unstamped;
  t_measured_end = end;
  t_under_way.begin += settled_clock() - own_begin;
}

void set(std::atomic<std::uint64_t>& word, const std::atomic<std::uint64_t>& to) {
  word.store(to.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

// Calls without arguments, into private memory, on a thread whose state is saved for their
// duration.
class Trial {
 public:
  Trial() : saved_thread_(rs_thread_state), saved_measuring_(t_measuring) {
    t_measuring = {};
    t_measuring.costs = costs_.get();
    t_measuring.most_gap = most_gap_for(kRoundCalls);
    t_measuring.space_end = UINT64_MAX / 2;
    rs_thread& t = rs_thread_state;
    t = {};
    t.pos = t.published = kRoundBytes;
    t.clock_due = UINT64_MAX;
    t.producer_pos = &nowhere_;
    t_measuring.point = point_far_from(t.pos);
    t.limit = limit_for(t_measuring.space_end);
  }
  ~Trial() {
    rs_thread_state = saved_thread_;
    t_measuring = saved_measuring_;
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // The ticks that measuring adds to a call of a statement with this switch.
  std::uint64_t added_ticks(std::uint8_t state) {
    constexpr std::size_t kWanted = 61;
    constexpr int kMostRounds = 500;
    std::array<std::uint64_t, kWanted> measured{};
    std::array<std::uint64_t, kWanted> unmeasured{};  // per round
    std::size_t with = 0;
    std::size_t without = 0;
    for (int i = 0; i < kMostRounds && (with < kWanted || without < kWanted); ++i) {
      const Round round = run(state);
      if (round.calls_measured == 0 && without < kWanted) unmeasured[without++] = round.ticks;
      if (round.calls_measured == 1 && with < kWanted) measured[with++] = round.measured_ticks;
    }
    if (with == 0 || without == 0) return 0;
    const std::uint64_t loop = low_octile(unmeasured.data(), without) / kRoundCalls;
    const std::uint64_t found = low_octile(measured.data(), with);
    return found > loop ? found - loop : 0;
  }

 private:
  static constexpr std::uint64_t kRoundCalls = 64;
  static constexpr std::uint64_t kRoundBytes = kRoundCalls * kHead;

  struct Round {
    std::uint64_t ticks;
    std::uint64_t calls_measured;
    std::uint64_t measured_ticks;
  };

  Round run(std::uint8_t state) {
    rs_thread& t = rs_thread_state;
    t.place = reinterpret_cast<std::uint64_t>(memory_.data()) - t.pos;
    const Round before{rs_clock(), calls(), costs_->all.ticks.load(std::memory_order_relaxed)};
    for (std::uint64_t i = 0; i < kRoundCalls; ++i) {
      std::uint64_t tsc = 0;
      const std::uint64_t start = rs_reserve(state, kHead, &tsc);
      const std::uint64_t head = tsc << RS_HEAD_ID_BITS | 1;
      std::memcpy(rs_place(start), &head, sizeof head);
      rs_publish(start, kHead);
    }
    return {rs_clock() - before.ticks, calls() - before.calls_measured,
            costs_->all.ticks.load(std::memory_order_relaxed) - before.measured_ticks};
  }

  std::uint64_t calls() const {
    std::uint64_t sum = 0;
    for (const auto& count : costs_->all.count) sum += count.load(std::memory_order_relaxed);
    return sum;
  }

  // Other work on the processor slows down both: subtract rather too little than too much.
  static std::uint64_t low_octile(std::uint64_t* numbers, std::size_t count) {
    std::nth_element(numbers, numbers + count / 8, numbers + count);
    return numbers[count / 8];
  }

  const rs_thread saved_thread_;
  const Measuring saved_measuring_;
  const std::unique_ptr<shm::CallCosts> costs_ = std::make_unique<shm::CallCosts>();
  alignas(64) std::array<std::byte, kRoundBytes + kHead> memory_{};
  std::uint64_t nowhere_ = 0;
};

}  // namespace

MeasuringTicks calibrate_measuring() {
  Trial trial;
  return {trial.added_ticks(RS_SWITCH_ON), trial.added_ticks(RS_SWITCH_ON_CONSUMER_CLOCK)};
}

void begin_measuring(const Segment& segment, std::uint32_t index, std::uint64_t pos) {
  if (segment.call_costs == nullptr) return;
  shm::CallCosts& costs = segment.call_costs[index];
  set(costs.before.ticks, costs.all.ticks);
  set(costs.before.waited, costs.all.waited);
  for (std::size_t i = 0; i < shm::kCostBuckets; ++i) {
    set(costs.before.count[i], costs.all.count[i]);
  }
  Measuring& m = t_measuring;
  m.seed = segment.rings[index].identity.stream_id * 0x9E3779B97F4A7C15U;
  m.most_gap = most_gap_for(segment.cost_sampling);
  m.own = segment.measuring_ticks;
  m.point = point_far_from(pos);
  m.costs = &costs;
}

void end_measuring() {
  t_measuring.costs = nullptr;
  t_measured_end = 0;
}

bool measures_calls() {
  return t_measuring.costs != nullptr;
}

std::uint64_t limit_for(std::uint64_t space_end) {
  std::uint64_t end = space_end;
  if (measures_calls()) {
    __atomic_store_n(&t_measuring.space_end, space_end, __ATOMIC_RELAXED);
    // 0 has another meaning.
    end = std::min(end, std::max<std::uint64_t>(load_local(t_measuring.point), RS_LIMIT_SLACK));
  }
  // Less the slack, for records that are tested only by their start. Near the true end every record
  // takes the slow path, where the test is exact. Records that are tested by their end reach this
  // limit when they begin 7 bytes before `end` at the latest, if they have 8 bytes.
  return end - RS_LIMIT_SLACK + 1;
}

bool is_only_to_be_measured(std::uint64_t start, std::uint64_t bytes, std::uint64_t tsc) {
  const rs_thread& t = rs_thread_state;
  if ((start & RS_NO_RING) != 0 || bytes == 0 || load_local(t.limit) == 0 ||
      start + bytes > load_local(t_measuring.space_end) || tsc > load_local(t.clock_due)) {
    return false;
  }
  if (load_local(t_measuring.point) >= start + bytes) {
    move_limit();  // a handler may have left it lower
    return true;
  }
  const MeasuredCall call{.begin_tsc = begin_of_call(tsc), .entered = rs_clock()};
  const bool chosen = choose(start, start + bytes);
  move_limit();
  if (chosen && load_local(t.published) == start)
    measure_to_the_end(call, start + bytes, call.entered);
  return true;
}

void measure_slow_call(MeasuredCall call, std::uint64_t wanted, std::uint64_t reserved,
                       std::uint64_t bytes) {
  const std::uint64_t own_begin = rs_clock();
  if (call.entered == 0) call.entered = own_begin;  // it is the first in its ring
  const rs_thread& t = rs_thread_state;
  if (reserved >= RS_DROPPED) {
    const bool chosen = choose(wanted, wanted + bytes);
    // The next record begins at the position of this one.
    rs_fetch_add_local(&t_measuring.point, std::uint64_t{0} - bytes);
    const std::uint64_t begin = call.begin_tsc != 0 ? call.begin_tsc : call.entered;
    if (chosen && load_local(t.pos) == load_local(t.published)) {
      count(own_begin > begin ? own_begin - begin : 0, call.waited);
    }
    return;
  }
  const std::uint64_t end = reserved + bytes;
  const bool chosen = choose(wanted, end);
  move_limit();
  if (chosen && load_local(t.published) == reserved) measure_to_the_end(call, end, own_begin);
}

std::uint64_t end_measured_call() {
  const std::uint64_t now = settled_clock();
  // Before giving the bytes back: after that, a handler's call may be measured too.
  const CallUnderWay call = t_under_way;
  const std::uint64_t end = t_measured_end;
  t_measured_end = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  std::uint64_t pad_bytes = 0;
  if (!exchange_local(&rs_thread_state.pos, end + kHead, end)) {
    // A handler has recorded after them: they stay, as a pad.
    const std::uint64_t pad = shm::make_head(kHead, shm::kCodePad);
    std::memcpy(rs_place(end), &pad, sizeof pad);
    pad_bytes = kHead;
  }
  count(now > call.begin ? now - call.begin : 0, call.waited);
  return pad_bytes;
}

}  // namespace ringside
