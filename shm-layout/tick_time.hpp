#pragma once
// Converts ticks of a segment's clock to nanoseconds and back. The frequency is untrusted: with 0
// every result is 0, and nothing overflows into undefined behaviour.

#include <cstdint>

namespace ringside::shm {

inline constexpr std::uint64_t kSecondNs = 1'000'000'000;

constexpr std::uint64_t ticks_to_ns(std::uint64_t ticks, std::uint64_t tick_hz) {
  if (tick_hz == 0) return 0;
  const std::uint64_t seconds = ticks / tick_hz;
  if (seconds > UINT64_MAX / kSecondNs - 1) return UINT64_MAX;
  return seconds * kSecondNs + ticks % tick_hz * kSecondNs / tick_hz;
}

// At most half of the clock's range, so that a deadline lies in the future.
constexpr std::uint64_t ns_to_ticks(std::uint64_t ns, std::uint64_t tick_hz) {
  const std::uint64_t seconds = ns / kSecondNs;
  if (tick_hz != 0 && seconds >= UINT64_MAX / 2 / tick_hz) return UINT64_MAX / 2;
  return seconds * tick_hz + ns % kSecondNs * tick_hz / kSecondNs;
}

static_assert(ticks_to_ns(2'500'000'000, 2'000'000'000) == 1'250'000'000);
static_assert(ns_to_ticks(1'250'000'000, 2'000'000'000) == 2'500'000'000);

}  // namespace ringside::shm
