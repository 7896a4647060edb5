// The functions of <ringside/ringside.hpp> and <ringside/ringside.h>.

#include <algorithm>
#include <cstring>
#include <exception>

#include "libagent/description/boundary_numbers.hpp"
#include "libagent/include/ringside/ringside.h"
#include "libagent/process/environment.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/consumer_wake.hpp"
#include "libagent/recording/growing_nap.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/nested_records.hpp"
#include "libagent/recording/ring_attachment.hpp"
#include "libagent/recording/ring_memory.hpp"
#include "libagent/recording/segment_succession.hpp"
#include "libagent/recording/statement_registry.hpp"
#include "libagent/recording/timed_checks.hpp"
#include "libagent/recording/truncation_guard.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kLongestFlushMs = 1'000'000'000'000;

Status status_locked(const Agent& a) {
  Status status;
  status.state = a.state.load(std::memory_order_relaxed);
  status.message = a.message;
  status.refused = a.refused.load(std::memory_order_relaxed);
  const Segment* const segment = a.segment.load(std::memory_order_relaxed);
  if (segment == nullptr) return status;
  status.dropped = a.dropped_by_former_owners;
  status.segment_path = segment->path;
  for (const Segment* each = segment; each != nullptr; each = each->replaced) {
    status.dropped += dropped_in(*each);
  }
  return status;
}

// For an allocator that the library calls: the texts may be changing.
Status state_only() {
  Status status;
  status.state = agent().state.load(std::memory_order_relaxed);
  return status;
}

// The present segment, after a check for its removal.
Segment* present_segment() {
  Agent& a = agent();
  const SlowPathLock lock;
  try {
    look_after_segments_in_log_call(a);
  } catch (const std::exception&) {  // no memory for the check
  }
  return a.segment.load(std::memory_order_relaxed);
}

// False if no consumer has begun a new file by `deadline_ns`.
bool rotate_segment(Segment& segment, std::uint64_t deadline_ns) {
  shm::ControlPage& control = *segment.control;
  // Release: the new file begins after everything that this thread did before.
  const std::uint64_t request =
      control.losses.rotation_request.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_consumer(segment);
  if (deadline_ns == 0) return true;
  const std::uint64_t start_ns = monotonic_ns();
  // Pairs with the consumer's release once the file has its name.
  while (control.tool_answers.service_rotation.load(std::memory_order_acquire) < request) {
    const std::uint64_t now_ns = monotonic_ns();
    if (segment.is_given_back.load(std::memory_order_relaxed) ||
        segment.is_truncated.load(std::memory_order_relaxed) || now_ns >= deadline_ns) {
      return false;
    }
    nap(growing_nap_ns(now_ns - start_ns, 4, deadline_ns - now_ns));
  }
  return true;
}

// False if the consumer did not read the segment to its present end by `deadline_ns`.
bool flush_segment(Segment& segment, std::uint64_t deadline_ns) {
  shm::ControlPage& control = *segment.control;
  if (control.service.rings_used.load(std::memory_order_acquire) == 0) return true;
  // Release: a consumer that sees the request (acquire) sees all records published before it.
  const std::uint64_t request =
      control.service.flush_request.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_consumer(segment);
  const std::uint64_t start_ns = monotonic_ns();
  // Pairs with the consumer's release once the bytes are in the file.
  while (control.consumer.flush_done.load(std::memory_order_acquire) < request) {
    // It was drained, or it has no reader any more and its records are counted as lost.
    if (segment.is_given_back.load(std::memory_order_relaxed)) return true;
    if (segment.is_truncated.load(std::memory_order_relaxed)) {
      present_segment();  // its consumer may have abandoned it
      if (segment.consumer_is_gone.load(std::memory_order_relaxed)) return true;
    }
    const std::uint64_t now_ns = monotonic_ns();
    if (now_ns >= deadline_ns) return false;
    nap(growing_nap_ns(now_ns - start_ns, 4, deadline_ns - now_ns));
  }
  return true;
}

// The same, and everything is synced. False once for each failed sync, and for a segment whose
// records are gone from here without an answer.
bool flush_segment_to_disk(Segment& segment, std::uint64_t deadline_ns) {
  shm::ControlPage& control = *segment.control;
  const bool is_gone = segment.is_given_back.load(std::memory_order_relaxed) ||
                       segment.consumer_is_gone.load(std::memory_order_relaxed);
  if (is_gone) return segment.told_not_durable.exchange(true, std::memory_order_relaxed);
  if (control.service.rings_used.load(std::memory_order_acquire) == 0) return true;
  const std::uint64_t told = segment.told_sync_failures.load(std::memory_order_relaxed);
  // Release: a consumer that sees the request (acquire) sees all records published before it.
  const std::uint64_t request =
      control.losses.durable_flush_request.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_consumer(segment);
  const std::uint64_t start_ns = monotonic_ns();
  // Pairs with the consumer's release once everything is synced.
  while (control.tool_answers.service_durable_flush.load(std::memory_order_acquire) < request) {
    const bool is_unknown = segment.is_given_back.load(std::memory_order_relaxed) ||
                            segment.is_truncated.load(std::memory_order_relaxed);
    const std::uint64_t now_ns = monotonic_ns();
    if (is_unknown || shm::refuses_durable_flush(control) || now_ns >= deadline_ns) return false;
    nap(growing_nap_ns(now_ns - start_ns, 4, deadline_ns - now_ns));
  }
  const std::uint64_t failures = control.tool_answers.sync_failures.load(std::memory_order_relaxed);
  if (failures == told) return true;
  segment.told_sync_failures.store(failures, std::memory_order_relaxed);
  return false;
}

std::chrono::milliseconds timeout_of_c(std::uint32_t timeout_ms) {
  return timeout_ms == RS_FOREVER ? forever : std::chrono::milliseconds(timeout_ms);
}

bool has_lost_with_segment() {
  const SlowPathLock lock;
  return take_lost_with_segment();
}

}  // namespace

Status init(const Options& options) noexcept {
  if (SlowPathLock::is_held()) return state_only();
  try {
    Agent& a = agent();
    const SlowPathLock lock;
    if (a.state.load(std::memory_order_relaxed) == State::idle) a.options = options;
    ensure_segment(a);
    return status_locked(a);
  } catch (const std::exception&) {
    Status status;
    status.state = State::failed;
    return status;  // out of memory: there is no message either
  }
}

Status status() noexcept {
  if (SlowPathLock::is_held()) return state_only();
  try {
    const SlowPathLock lock;
    look_after_segments(agent());
    return status_locked(agent());
  } catch (const std::exception&) {
    return {};
  }
}

std::uint64_t losses(LossCause cause) noexcept {
  settle_abandoned_calls();
  const SlowPathLock lock;
  try {
    look_after_segments_in_log_call(agent());
  } catch (const std::exception&) {  // no memory for the check; report what is known
  }
  if (cause != LossCause::any) return count_of(agent(), stored_cause(cause));
  std::uint64_t records = 0;
  for (const shm::LossCause each : shm::kCountedCauses) {
    if (shm::is_lost(each)) records += count_of(agent(), each);
  }
  return records;
}

bool preallocate() noexcept {
  return rs_preallocate() != 0;
}

bool flush(std::chrono::milliseconds timeout) noexcept {
  return rs_flush(static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0))) != 0;
}

bool flush_durable(std::chrono::milliseconds timeout) noexcept {
  return rs_flush_durable(static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0))) !=
         0;
}

bool rotate(std::chrono::milliseconds timeout) noexcept {
  return rs_rotate(static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0))) != 0;
}

Level level() noexcept {
  return level_of_c(rs_get_level());
}

void set_level(Level level) noexcept {
  rs_set_level(static_cast<int>(level));
}

}  // namespace ringside

using ringside::Agent;
using ringside::agent;
using ringside::Segment;
using ringside::SlowPathLock;

std::uint64_t rs_losses(rs_loss_cause cause) {
  return ringside::losses(ringside::cause_of_c(cause));
}

int rs_init(void) {
  if (SlowPathLock::is_held()) {
    return agent().state.load(std::memory_order_relaxed) == ringside::State::live ? 1 : 0;
  }
  const SlowPathLock lock;
  try {
    return ringside::ensure_segment(agent()) ? 1 : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

int rs_init_with(const struct rs_options* options) {
  rs_options given{};
  if (options != nullptr) {
    std::memcpy(static_cast<void*>(&given), options, std::min(options->struct_bytes, sizeof given));
  }
  try {
    ringside::Options wanted;
    if (given.service != nullptr) wanted.service = given.service;
    if (given.shm_dir != nullptr) wanted.shm_dir = given.shm_dir;
    if (given.ring_bytes != 0) wanted.ring_bytes = given.ring_bytes;
    if (given.max_threads != 0) wanted.max_threads = given.max_threads;
    if (given.block_timeout_ms != 0) {
      wanted.block_timeout = ringside::timeout_of_c(given.block_timeout_ms);
    }
    if (given.live_consumer_timeout_ms != 0) {
      wanted.live_consumer_timeout = ringside::timeout_of_c(given.live_consumer_timeout_ms);
    }
    if (given.absent_timeout_ms != 0) {
      wanted.absent_timeout = std::chrono::milliseconds(given.absent_timeout_ms);
    }
    if (given.processor_interval_ms != 0) {
      wanted.processor_interval = std::chrono::milliseconds(given.processor_interval_ms);
    }
    if (given.mode != 0) wanted.mode = given.mode;
    if (given.group != nullptr) wanted.group = given.group;
    if (given.overflow <= RS_OVERFLOW_OVERWRITE) {
      wanted.overflow = static_cast<ringside::Overflow>(given.overflow);
    }
    if (given.level != 0 && given.level <= RS_LEVEL_OFF) {
      wanted.level = ringside::level_of_c(given.level);
    }
    if (given.consumer_clock != 0) wanted.clock = ringside::Clock::consumer;
    wanted.cost_sampling = given.cost_sampling;
    if (given.truncation_guard <= RS_TRUNCATION_GUARD_OFF) {
      wanted.truncation_guard = static_cast<ringside::TruncationGuard>(given.truncation_guard);
    }
    return ringside::init(wanted).state == ringside::State::live ? 1 : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

int rs_preallocate(void) {
  if (ringside::attach_ring() != ringside::Attached::kYes) return 0;
  if (!ringside::keep_whole_ring()) return 0;
  ringside::stop_file_checks();
  ringside::stop_waking_of_this_thread();
  // Writes the clock record that opens a stream, so that the first log call finds it done.
  rs_thread& t = rs_thread_state;
  if (t.clock_due == 0) {
    const std::uint64_t start = rs_reserve_slow(t.pos, 0, rs_clock());
    if (start >= RS_DROPPED) return 0;
    rs_publish(start, 0);
  }
  return 1;
}

int rs_flush(std::uint64_t timeout_ms) {
  Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr) return 1;  // no records exist
  ringside::settle_abandoned_calls();
  if (segment->sub_buffer_bytes != 0) return 0;
  const ringside::SlowCall call;
  const ringside::SigbusUnblocked unblocked;
  const std::uint64_t bound_ns = std::min(timeout_ms, ringside::kLongestFlushMs) * 1'000'000U;
  const std::uint64_t deadline_ns = ringside::monotonic_ns() + bound_ns;
  // Also flushes replaced segments, as long as a consumer reads them. Records without a reader are
  // counted as lost, and are not in the file.
  bool flushed = true;
  for (ringside::Segment* each = ringside::present_segment(); each != nullptr && flushed;
       each = each->replaced) {
    if (each->is_given_back.load(std::memory_order_relaxed) ||
        each->consumer_is_gone.load(std::memory_order_relaxed))
      continue;
    flushed = ringside::flush_segment(*each, deadline_ns);
  }
  // A consumer may have died since.
  ringside::present_segment();
  const bool has_lost = ringside::has_lost_with_segment();
  return flushed && !has_lost ? 1 : 0;
}

int rs_flush_durable(std::uint64_t timeout_ms) {
  Segment* const segment = agent().segment.load(std::memory_order_acquire);
  if (segment == nullptr) return 1;  // no records exist
  ringside::settle_abandoned_calls();
  if (segment->sub_buffer_bytes != 0) return 0;
  const ringside::SlowCall call;
  const ringside::SigbusUnblocked unblocked;
  const std::uint64_t bound_ns = std::min(timeout_ms, ringside::kLongestFlushMs) * 1'000'000U;
  const std::uint64_t deadline_ns = ringside::monotonic_ns() + bound_ns;
  bool flushed = true;
  for (ringside::Segment* each = ringside::present_segment(); each != nullptr;
       each = each->replaced) {
    flushed = ringside::flush_segment_to_disk(*each, deadline_ns) && flushed;
  }
  ringside::present_segment();  // a consumer may have died since
  const bool has_lost = ringside::has_lost_with_segment();
  return flushed && !has_lost ? 1 : 0;
}

int rs_rotate(std::uint64_t timeout_ms) {
  Segment* const segment = ringside::present_segment();
  if (segment == nullptr) return 0;
  const ringside::SlowCall call;
  const ringside::SigbusUnblocked unblocked;
  const std::uint64_t bound_ns = std::min(timeout_ms, ringside::kLongestFlushMs) * 1'000'000U;
  const std::uint64_t deadline_ns = bound_ns == 0 ? 0 : ringside::monotonic_ns() + bound_ns;
  return ringside::rotate_segment(*segment, deadline_ns) ? 1 : 0;
}

int rs_get_level(void) {
  Agent& a = agent();
  const SlowPathLock lock;
  const ringside::State state = a.state.load(std::memory_order_relaxed);
  if (state == ringside::State::disabled) return RS_LEVEL_OFF;
  const Segment* const segment = a.segment.load(std::memory_order_relaxed);
  if (segment != nullptr) return ringside::present_level(*segment);
  const int level = a.level.load(std::memory_order_relaxed);
  if (a.options_are_final) return level;
  try {
    return static_cast<int>(ringside::level_with_environment(ringside::level_of_c(level)));
  } catch (const std::exception&) {  // no memory
    return level;
  }
}

void rs_set_level(int level) {
  const int bounded = std::clamp<int>(level, RS_LEVEL_TRACE, RS_LEVEL_OFF);
  Agent& a = agent();
  const SlowPathLock lock;
  ringside::apply_level(a, static_cast<std::uint8_t>(bounded));
  a.options.level = ringside::level_of_c(bounded);
}
