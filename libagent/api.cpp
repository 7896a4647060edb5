// The functions of <ringside/ringside.hpp> and <ringside/ringside.h>.

#include <algorithm>
#include <cstring>
#include <ctime>
#include <exception>

#include "libagent/agent.hpp"
#include "libagent/include/ringside/ringside.h"
#include "libagent/loss_count.hpp"
#include "libagent/ring_attachment.hpp"
#include "libagent/slow_call.hpp"
#include "libagent/statement_registry.hpp"

namespace ringside {
namespace {

Status status_locked(const Agent& a) {
  Status status;
  status.state = a.state.load(std::memory_order_relaxed);
  status.message = a.message;
  status.refused = a.refused.load(std::memory_order_relaxed);
  const Segment* const segment = a.segment.load(std::memory_order_relaxed);
  if (segment == nullptr) return status;
  status.dropped = a.dropped_by_former_owners;
  status.segment_path = segment->path;
  const std::uint32_t used = segment->control->service.rings_used.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < used && i < segment->layout.ring_count; ++i) {
    status.dropped += segment->rings[i].counters.dropped_total.load(std::memory_order_relaxed);
  }
  return status;
}

}  // namespace

Status init(const Options& options) noexcept {
  try {
    Agent& a = agent();
    const SlowPathLock lock;
    if (a.state.load(std::memory_order_relaxed) == State::idle) a.options = options;
    ensure_segment(a);
    return status_locked(a);
  } catch (const std::exception&) {
    Status status;
    status.state = State::failed;
    return status;  // out of memory: no message either
  }
}

Status status() noexcept {
  try {
    const SlowPathLock lock;
    return status_locked(agent());
  } catch (const std::exception&) {
    return {};
  }
}

std::uint64_t losses(LossCause cause) noexcept {
  const SlowPathLock lock;
  if (cause != LossCause::any) return count_of(agent(), static_cast<shm::LossCause>(cause));
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

void set_level(Level level) noexcept {
  rs_set_level(static_cast<int>(level));
}

}  // namespace ringside

using ringside::Agent;
using ringside::agent;
using ringside::Segment;
using ringside::SlowPathLock;

std::uint64_t rs_losses(rs_loss_cause cause) {
  return ringside::losses(static_cast<ringside::LossCause>(cause));
}

int rs_init(void) {
  const SlowPathLock lock;
  try {
    return ringside::ensure_segment(agent()) ? 1 : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

int rs_preallocate(void) {
  if (ringside::attach_ring() != ringside::Attached::kYes) return 0;
  // The clock record that opens a stream, so that the first log call finds its way prepared.
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
  if (segment == nullptr) return 1;  // nothing was recorded
  if (segment->sub_buffer_bytes != 0) return 0;
  const ringside::SlowCall call;
  ringside::shm::ControlPage& control = *segment->control;
  if (control.service.rings_used.load(std::memory_order_acquire) == 0) return 1;
  // Release: a consumer that sees the request (acquire) sees all records published before it.
  const std::uint64_t request =
      control.service.flush_request.fetch_add(1, std::memory_order_acq_rel) + 1;
  const std::uint64_t start_ns = ringside::monotonic_ns();
  long nap_ns = 20'000;
  // Pairs with the consumer's release once the bytes are in the file.
  while (control.consumer.flush_done.load(std::memory_order_acquire) < request) {
    if ((ringside::monotonic_ns() - start_ns) / 1'000'000U >= timeout_ms) return 0;
    const timespec nap{0, nap_ns};
    nanosleep(&nap, nullptr);
    nap_ns = std::min(nap_ns * 2, 1'000'000L);
  }
  return 1;
}

void rs_set_level(int level) {
  const int bounded = std::clamp<int>(level, RS_LEVEL_TRACE, RS_LEVEL_OFF);
  Agent& a = agent();
  const SlowPathLock lock;
  ringside::apply_level(a, static_cast<std::uint8_t>(bounded));
  a.options.level = static_cast<ringside::Level>(bounded);
}
