// The parts of a gate that are not inlined (include/ringside/gate_decision.h).

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "libagent/include/ringside/gate_decision.h"
#include "shm-layout/clock_reading.hpp"

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kMaxPeriodMs = INT64_MAX / kNsPerMs / 2;  // a century and more

// How many of the executions 0 to `last` pass.
std::int64_t passed(std::int64_t last, std::int64_t n) {
  return last / n + 1;
}

std::int64_t now_ns(clockid_t clock) {
  return static_cast<std::int64_t>(ringside::shm::read_clock_ns(clock));
}

// An atomic addition, after reading the clock, would make this cost as much as a record.
void count_late(rs_gate_word* word, rs_site* site) {
  const auto self = reinterpret_cast<std::uint64_t>(&rs_thread_state);
  std::uint64_t owner = __atomic_load_n(&word->owner, __ATOMIC_RELAXED);
  if (owner == 0 && __atomic_compare_exchange_n(&word->owner, &owner, self, false, __ATOMIC_RELAXED,
                                                __ATOMIC_RELAXED)) {
    owner = self;
  }
  if (owner != self) return rs_count_suppressed(site, 1);
  const std::uint64_t index = rs_fetch_add_local(&word->suppressed, 1);
  if (index < RS_GATE_BATCH) {
    rs_count_suppressed(site, 1);
  } else if (index % RS_GATE_BATCH == RS_GATE_BATCH - 1) {
    rs_count_suppressed(site, RS_GATE_BATCH);
  }
}

}  // namespace

int rs_gate_is_due(rs_gate_word* word, std::int64_t period_ms, rs_site* site) {
  if (period_ms <= 0) return 1;
  std::int64_t due_ns = __atomic_load_n(&word->value, __ATOMIC_RELAXED);
  // The coarse clock never runs ahead of the exact one: nothing passes early.
  if (due_ns != 0 && now_ns(CLOCK_MONOTONIC_COARSE) < due_ns) {
    count_late(word, site);
    return 0;
  }
  const std::int64_t next_ns =
      now_ns(CLOCK_MONOTONIC) + std::min(period_ms, kMaxPeriodMs) * kNsPerMs;
  if (__atomic_compare_exchange_n(&word->value, &due_ns, next_ns, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    return 1;
  }
  count_late(word, site);  // another thread passes, or a signal handler
  return 0;
}

void rs_gate_count(std::int64_t execution, std::int64_t n, rs_site* site) {
  const std::int64_t executions = execution < RS_GATE_BATCH ? 1 : RS_GATE_BATCH;
  const std::int64_t before = execution < executions ? 0 : passed(execution - executions, n);
  const std::int64_t suppressed = executions - (passed(execution, n) - before);
  if (suppressed != 0) rs_count_suppressed(site, static_cast<std::uint64_t>(suppressed));
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the macros are nested in the source
int rs_outer_gate_passes(const rs_gate* gate, rs_site* site) {
  return rs_gate_passes(gate, site);
}
