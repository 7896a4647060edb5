#pragma once
// Reads the record clock next to the kernel's clocks. Service and consumer must use the same
// method: the pairs of both end up in one conversion from ticks to time.

#include <cstdint>
#include <ctime>

namespace ringside::shm {

// All clocks at one instant, as nearly as they can be read.
struct ClockReading {
  std::uint64_t tsc;
  std::uint64_t monotonic_ns;
  std::uint64_t realtime_ns;
};

// The clock that stamps records.
inline std::uint64_t read_tsc() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

// The same, after all earlier instructions and before all later ones. AArch64 may otherwise execute
// the reading long before or after its neighbours. Then it would not enclose another clock's
// reading, and positions that are read afterwards would be older than it.
inline std::uint64_t read_tsc_in_order() {
#if defined(__aarch64__)
  __asm__ volatile("isb" : : : "memory");
  const std::uint64_t ticks = read_tsc();
  __asm__ volatile("isb" : : : "memory");
  return ticks;
#else
  return read_tsc();
#endif
}

inline std::uint64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct TickReading {
  std::uint64_t tsc;
  std::uint64_t ns;
};

// Ticks and `clock` at the same instant. Takes the tightest of a few tries, because the thread may
// be preempted between the two reads.
inline TickReading read_tick_pair(clockid_t clock) {
  TickReading best{};
  std::uint64_t best_span = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = read_tsc_in_order();
    const std::uint64_t ns = read_clock_ns(clock);
    const std::uint64_t span = read_tsc_in_order() - before;
    if (span < best_span) {
      best_span = span;
      best = {before + span / 2, ns};
    }
  }
  return best;
}

inline ClockReading read_clocks() {
  const TickReading ticks = read_tick_pair(CLOCK_MONOTONIC);
  const std::uint64_t monotonic_ns = read_clock_ns(CLOCK_MONOTONIC);
  const std::uint64_t realtime_ns = read_clock_ns(CLOCK_REALTIME);
  return {ticks.tsc, ticks.ns, realtime_ns - (monotonic_ns - ticks.ns)};
}

}  // namespace ringside::shm
