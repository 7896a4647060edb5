// Time in SegmentSession: how ticks become time, in the file and for a successor.
#include "consumerd/session/segment_session.hpp"
#include "shm-layout/clock_reading.hpp"

namespace ringside::consumer {

// Times continue where the previous consumer stopped; the first consumer can measure the rate over
// the service's whole run.
void SegmentSession::take_over_clock() {
  const shm::ConsumerClock& left = segment_->control().consumer_clock;
  // Pairs with the release in publish_clock().
  const std::uint64_t steps = left.steps.load(std::memory_order_acquire);
  const auto step = [&left](std::uint64_t number) {
    const shm::ClockStep& from = left.step[(number - 1) % shm::kClockSteps];
    trace::ClockPoint point;
    point.tsc0 = from.tsc0.load(std::memory_order_relaxed);
    point.unix_ns0 = from.unix_ns0.load(std::memory_order_relaxed);
    point.ns_per_tick = from.ns_per_tick.load(std::memory_order_relaxed);
    return point;
  };
  if (steps > 0 && clock_->resume(step(steps > 1 ? steps - 1 : steps), step(steps))) return;
  if (!same_boot_) return;
  const shm::ClockReading now = shm::read_clocks();
  clock_->measure({now.tsc, now.monotonic_ns, now.realtime_ns});
}

void SegmentSession::publish_clock(const trace::ClockPoint& point) {
  shm::ConsumerClock& clock = segment_->control().consumer_clock;
  const std::uint64_t steps = clock.steps.load(std::memory_order_relaxed);
  shm::ClockStep& step = clock.step[steps % shm::kClockSteps];
  step.tsc0.store(point.tsc0, std::memory_order_relaxed);
  step.unix_ns0.store(point.unix_ns0, std::memory_order_relaxed);
  step.ns_per_tick.store(point.ns_per_tick, std::memory_order_relaxed);
  clock.steps.store(steps + 1, std::memory_order_release);
}

bool SegmentSession::write_clock() {
  last_clock_ = std::chrono::steady_clock::now();
  if (!same_boot_) return true;  // only the service's own reading belongs to its clock
  const std::span<std::byte> out = file_->space(256);
  if (out.empty()) return false;
  const shm::ClockReading now = shm::read_clocks();
  clock_before_ = clock_->last();
  const trace::ClockPoint point = clock_->next({now.tsc, now.monotonic_ns, now.realtime_ns});
  file_->commit(trace::write_clock_block(point, out));
  publish_clock(point);
  return true;
}

}  // namespace ringside::consumer
