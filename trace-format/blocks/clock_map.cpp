#include "trace-format/blocks/clock_map.hpp"

#include <algorithm>
#include <cassert>

#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/text/value.hpp"

namespace ringside::trace {

std::uint64_t ClockPoint::unix_ns(std::uint64_t tsc) const {
  // In unsigned 128-bit arithmetic, which has no undefined overflow; the right shift of the signed
  // result rounds down.
  const auto ticks =
      static_cast<UInt128>(static_cast<Int128>(static_cast<std::int64_t>(tsc - tsc0)));
  const auto ns = static_cast<Int128>(ticks * ns_per_tick) >> kClockFractionBits;
  return unix_ns0 + static_cast<std::uint64_t>(ns);
}

bool ClockPoint::parse(std::span<const std::byte> payload, ClockPoint& point) {
  if (payload.size() < kClockBytes) return false;
  const std::byte* p = payload.data();
  point.tsc0 = load<std::uint64_t>(p);
  point.unix_ns0 = load<std::uint64_t>(p + 8);
  point.ns_per_tick = load<std::uint64_t>(p + 16);
  point.monotonic_ns = load<std::uint64_t>(p + 24);
  point.realtime_ns = load<std::uint64_t>(p + 32);
  point.sync = ClockSync::parse(payload);
  return true;
}

std::uint64_t ClockPoint::error_ns() const {
  if (sync.state != SyncState::kSynchronised) return kUnknownClockError;
  const std::uint64_t distance =
      realtime_ns > unix_ns0 ? realtime_ns - unix_ns0 : unix_ns0 - realtime_ns;
  const auto offset = static_cast<std::uint64_t>(sync.offset_ns);
  const UInt128 error =
      UInt128{distance} + (sync.offset_ns < 0 ? 0 - offset : offset) + sync.max_error_ns;
  return error < kUnknownClockError ? static_cast<std::uint64_t>(error) : kUnknownClockError;
}

std::uint64_t ns_per_tick_of(std::uint64_t hz) {
  assert(hz != 0);
  const UInt128 scaled = (UInt128{1'000'000'000} << kClockFractionBits) + hz / 2;
  return static_cast<std::uint64_t>(scaled / hz);
}

void ClockMap::add(const ClockPoint& point) {
  const auto it = std::lower_bound(
      points_.begin(), points_.end(), point.tsc0,
      [](const ClockPoint& known, std::uint64_t tsc0) { return known.tsc0 < tsc0; });
  if (it != points_.end() && it->tsc0 == point.tsc0) {
    *it = point;
  } else {
    points_.insert(it, point);
  }
}

std::size_t ClockMap::find(std::uint64_t tsc) const {
  const auto it = std::upper_bound(
      points_.begin(), points_.end(), tsc,
      [](std::uint64_t wanted, const ClockPoint& known) { return wanted < known.tsc0; });
  return it == points_.begin() ? 0 : static_cast<std::size_t>(it - points_.begin()) - 1;
}

std::uint64_t ClockMap::unix_ns(std::uint64_t tsc) const {
  return points_.empty() ? 0 : points_[find(tsc)].unix_ns(tsc);
}

std::uint64_t ClockMap::error_ns(std::uint64_t tsc) const {
  const std::size_t i = find(tsc);
  const std::uint64_t error = points_[i].error_ns();
  return i + 1 == points_.size() ? error : std::max(error, points_[i + 1].error_ns());
}

namespace {

// The most that steering may deviate from a rate.
std::uint64_t slew_limit(std::uint64_t rate) {
  return static_cast<std::uint64_t>(UInt128{rate} * ClockSteering::kMaxSlewPpm / 1'000'000);
}

// At most an hour, so that no product overflows.
std::uint64_t ticks_of(std::uint64_t ns, std::uint64_t ns_per_tick) {
  constexpr std::uint64_t kHourNs = 3'600'000'000'000;
  return static_cast<std::uint64_t>((UInt128{std::min(ns, kHourNs)} << kClockFractionBits) /
                                    std::max<std::uint64_t>(ns_per_tick, 1));
}

}  // namespace

ClockSteering::ClockSteering(const Start& start)
    : start_(start), nominal_(ns_per_tick_of(start.hz)) {
  first_.tsc0 = start.tsc;
  first_.unix_ns0 = start.realtime_ns;
  first_.ns_per_tick = nominal_;
  first_.monotonic_ns = start.monotonic_ns;
  first_.realtime_ns = start.realtime_ns;
  last_ = first_;
}

bool ClockSteering::resume(const ClockPoint& before, const ClockPoint& last) {
  const auto believable = [this](const ClockPoint& point) {
    const std::uint64_t far = 40 * slew_limit(nominal_);
    return point.tsc0 >= start_.tsc && point.ns_per_tick > nominal_ - far &&
           point.ns_per_tick < nominal_ + far;
  };
  const bool joined = before.tsc0 < last.tsc0
                          ? before.unix_ns(last.tsc0) == last.unix_ns0
                          : before.tsc0 == last.tsc0 && before.unix_ns0 == last.unix_ns0;
  if (!believable(before) || !believable(last) || !joined) return false;
  first_ = before;
  last_ = last;
  // It may correct for this long.
  correction_ticks_ = ticks_of(kHorizonNs, nominal_);
  return true;
}

void ClockSteering::measure(const Now& now) {
  first_.ns_per_tick = rate_over_run(now);
  last_ = first_;
}

// The rate over the whole run of the service, once the run is long enough for the jitter of
// readings (below a microsecond) to be far below the steering limit.
std::uint64_t ClockSteering::rate_over_run(const Now& now) const {
  constexpr std::uint64_t kLongEnoughNs = 1'000'000'000;
  if (now.monotonic_ns <= start_.monotonic_ns || now.tsc <= start_.tsc) return nominal_;
  const std::uint64_t elapsed_ns = now.monotonic_ns - start_.monotonic_ns;
  if (elapsed_ns < kLongEnoughNs) return nominal_;
  const UInt128 measured = (UInt128{elapsed_ns} << kClockFractionBits) / (now.tsc - start_.tsc);
  // Suspend stops CLOCK_MONOTONIC but not necessarily the ticks (or the other way round); an
  // implausible measurement is not a rate.
  const std::uint64_t far = 20 * slew_limit(nominal_);
  if (measured <= nominal_ - far || measured >= nominal_ + far) return nominal_;
  return static_cast<std::uint64_t>(measured);
}

std::optional<ClockPoint> ClockSteering::settle(const Now& now, std::uint64_t newest_tsc) {
  // Up to twice the time the overshoot is no larger than the deviation was.
  if (correction_ticks_ == 0 || last_.tsc0 >= now.tsc ||
      now.tsc - last_.tsc0 <= 2 * correction_ticks_) {
    return {};
  }
  ClockPoint point;
  point.tsc0 = std::max(last_.tsc0 + correction_ticks_, newest_tsc + 1);
  if (point.tsc0 >= now.tsc) return {};
  correction_ticks_ = 0;
  point.unix_ns0 = last_.unix_ns(point.tsc0);
  point.ns_per_tick = rate_over_run(now);
  // What the clocks showed then, by the rate.
  const std::uint64_t since_ns = static_cast<std::uint64_t>(
      (UInt128{now.tsc - point.tsc0} * point.ns_per_tick) >> kClockFractionBits);
  point.monotonic_ns = now.monotonic_ns - std::min(since_ns, now.monotonic_ns);
  point.realtime_ns = now.realtime_ns - std::min(since_ns, now.realtime_ns);
  point.sync = now.sync;
  last_ = point;
  return point;
}

// The rate that compensates, within this time, the deviation of `unix_ns` from the time now.
std::uint64_t ClockSteering::corrected_rate(const Now& now, std::uint64_t rate,
                                            std::uint64_t unix_ns, std::uint64_t within_ns) const {
  const std::uint64_t wanted_ns = start_.realtime_ns + (now.monotonic_ns - start_.monotonic_ns);
  const auto behind_ns = static_cast<std::int64_t>(wanted_ns - unix_ns);
  const auto limit = static_cast<std::int64_t>(slew_limit(rate));
  const Int128 correction = static_cast<Int128>(behind_ns) * static_cast<Int128>(rate) /
                            static_cast<Int128>(std::max<std::uint64_t>(within_ns, 1));
  const Int128 bounded = std::clamp<Int128>(correction, -limit, limit);
  return static_cast<std::uint64_t>(static_cast<Int128>(rate) + bounded);
}

std::optional<ClockPoint> ClockSteering::adjust(const Now& now, std::uint64_t newest_tsc,
                                                std::uint64_t horizon_ns) {
  if (last_.tsc0 >= now.tsc || last_.tsc0 <= newest_tsc) return {};
  const std::uint64_t rate = rate_over_run(now);
  ClockPoint by_rate = last_;
  by_rate.ns_per_tick = rate;
  const std::uint64_t unix_ns = by_rate.unix_ns(now.tsc);
  const std::uint64_t elapsed_ns = unix_ns - last_.unix_ns0;
  last_.ns_per_tick = corrected_rate(now, rate, unix_ns, std::max(elapsed_ns, horizon_ns));
  // A long time is corrected as a whole; then the rate is that of this time.
  correction_ticks_ = elapsed_ns < horizon_ns ? ticks_of(horizon_ns, rate) : 0;
  return last_;
}

ClockPoint ClockSteering::next(const Now& now, std::uint64_t horizon_ns) {
  if (now.tsc <= last_.tsc0) return last_;  // clocks that stop or go backwards steer nothing
  ClockPoint point;
  point.tsc0 = now.tsc;
  point.unix_ns0 = last_.unix_ns(now.tsc);
  point.monotonic_ns = now.monotonic_ns;
  point.realtime_ns = now.realtime_ns;
  point.sync = now.sync;

  const std::uint64_t rate = rate_over_run(now);
  point.ns_per_tick = corrected_rate(now, rate, point.unix_ns0, horizon_ns);
  correction_ticks_ = ticks_of(horizon_ns, rate);
  last_ = point;
  return point;
}

}  // namespace ringside::trace
