#include "consumerd/session/segment_clock.hpp"

#include <algorithm>
#include <utility>

#include "consumerd/files/section_front.hpp"
#include "consumerd/session/system_clock_sync.hpp"
#include "shm-layout/clock_reading.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {
namespace {

trace::ClockSteering::Start start_of(const shm::SegmentHeader& header) {
  return {header.start_tsc, header.start_monotonic_ns, header.start_realtime_ns,
          header.tsc_frequency_hz};
}

trace::ClockSteering::Now read_now() {
  const shm::ClockReading reading = shm::read_clocks();
  return {reading.tsc, reading.monotonic_ns, reading.realtime_ns, read_clock_sync()};
}

}  // namespace

SegmentClock::SegmentClock(AttachedSegment& segment)
    : segment_(segment),
      steering_(start_of(segment.header())),
      same_boot_(is_this_boot(segment.header().boot_id)) {
  resume();
  if (same_boot_) steering_.set_sync(read_clock_sync());
  before_ = steering_.first();
}

// Times continue where the previous consumer stopped; the first consumer can measure the rate over
// the service's whole run.
void SegmentClock::resume() {
  const shm::ConsumerClock& left = segment_.control().consumer_clock;
  // Pairs with the release in publish().
  const std::uint64_t steps = left.steps.load(std::memory_order_acquire);
  const auto step = [&left](std::uint64_t number) {
    const shm::ClockStep& from = left.step[(number - 1) % shm::kClockSteps];
    trace::ClockPoint point;
    point.tsc0 = from.tsc0.load(std::memory_order_relaxed);
    point.unix_ns0 = from.unix_ns0.load(std::memory_order_relaxed);
    point.ns_per_tick = from.ns_per_tick.load(std::memory_order_relaxed);
    return point;
  };
  const trace::ClockSteering::Now now = read_now();
  if (steps > 0) {
    trace::ClockPoint before = step(steps > 1 ? steps - 1 : steps);
    trace::ClockPoint last = step(steps);
    // What the system's clock showed then is not left: as far from these times as it is now.
    const std::uint64_t ahead_ns = now.realtime_ns - last.unix_ns(now.tsc);
    for (trace::ClockPoint* const point : {&before, &last}) {
      if (same_boot_) point->realtime_ns = point->unix_ns0 + ahead_ns;
    }
    if (steering_.resume(before, last)) return;
  }
  if (same_boot_) steering_.measure(now);
}

void SegmentClock::publish(const trace::ClockPoint& point) {
  shm::ConsumerClock& clock = segment_.control().consumer_clock;
  const std::uint64_t steps = clock.steps.load(std::memory_order_relaxed);
  shm::ClockStep& step = clock.step[steps % shm::kClockSteps];
  step.tsc0.store(point.tsc0, std::memory_order_relaxed);
  step.unix_ns0.store(point.unix_ns0, std::memory_order_relaxed);
  step.ns_per_tick.store(point.ns_per_tick, std::memory_order_relaxed);
  clock.steps.store(steps + 1, std::memory_order_release);
}

std::uint64_t SegmentClock::newest_tsc(std::span<const RingDrain> rings) {
  std::uint64_t newest = 0;
  for (const RingDrain& ring : rings) newest = std::max(newest, ring.cursor().last_tsc);
  return newest;
}

bool SegmentClock::write(TraceFile& file, std::span<const RingDrain> rings) {
  if (same_boot_ && steering_.last().tsc0 > drained_tsc_) return true;
  written_ = std::chrono::steady_clock::now();
  if (!same_boot_) return true;  // only the service's own reading belongs to its clock
  const std::span<std::byte> out = file.space(256);
  if (out.empty()) return false;
  const trace::ClockSteering::Now now = read_now();
  trace::ClockPoint last = steering_.last();
  std::size_t bytes = 0;
  const auto settled = steering_.settle(now, newest_tsc(rings));
  if (settled) {
    bytes = trace::write_clock_block(*settled, out);
    before_ = std::exchange(last, *settled);
  }
  // The end of a correction is a step too: another one may have to wait.
  const bool steps = last.tsc0 <= drained_tsc_;
  if (steps) {
    before_ = last;
    last = steering_.next(now);
    bytes += trace::write_clock_block(last, out.subspan(bytes));
  }
  file.commit(bytes);
  if (settled) publish(*settled);
  if (steps) publish(last);
  return true;
}

bool SegmentClock::steer(TraceFile& file, std::span<const RingDrain> rings) {
  written_ = std::chrono::steady_clock::now();
  if (!same_boot_) return true;
  const std::uint64_t newest = newest_tsc(rings);
  if (newest >= steering_.last().tsc0) return write_if_old(file, rings);
  const std::span<std::byte> out = file.space(256);
  if (out.empty()) return false;
  const auto adjusted = steering_.adjust(read_now(), newest);
  if (!adjusted) return true;
  file.commit(trace::write_clock_block(*adjusted, out));
  // A successor that finds the previous rate continues from the same place.
  shm::ConsumerClock& clock = segment_.control().consumer_clock;
  const std::uint64_t steps = clock.steps.load(std::memory_order_relaxed);
  clock.step[(steps - 1) % shm::kClockSteps].ns_per_tick.store(adjusted->ns_per_tick,
                                                               std::memory_order_relaxed);
  return true;
}

bool SegmentClock::write_if_old(TraceFile& file, std::span<const RingDrain> rings) {
  constexpr std::uint64_t kOldNs = 1'000'000'000;
  const trace::ClockPoint last = steering_.last();
  return last.unix_ns(shm::read_tsc()) - last.unix_ns0 < kOldNs || write(file, rings);
}

void SegmentClock::begin(TraceFile& file) {
  if (segment_.control().consumer_clock.steps.load(std::memory_order_relaxed) == 0) {
    publish(steering_.first());
    drained_until(steering_.first().tsc0);  // nothing is older than the service
    write(file, {});                        // without room in the file: again in the next round
    return;
  }
  // The rings may hold records that are older than a step made now, and, if several consumers died
  // without reading them, older than the step before: the two steps at the beginning of a section
  // must reach back to them. The next step follows when the rings have been empty.
  written_ = std::chrono::steady_clock::now();
}

std::size_t SegmentClock::write_first_points(std::span<std::byte> out) const {
  const trace::ClockPoint first = steering_.first();
  const trace::ClockPoint last = steering_.last();
  std::size_t bytes = trace::write_clock_block(first, out);
  if (last.tsc0 != first.tsc0) bytes += trace::write_clock_block(last, out.subspan(bytes));
  return bytes;
}

std::size_t SegmentClock::write_last_points(std::span<std::byte> out) const {
  const trace::ClockPoint last = steering_.last();
  std::size_t bytes = 0;
  // Late records may be older than the last clock point.
  if (before_.tsc0 != last.tsc0) bytes += trace::write_clock_block(before_, out);
  return bytes + trace::write_clock_block(last, out.subspan(bytes));
}

}  // namespace ringside::consumer
