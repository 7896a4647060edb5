#pragma once
// Converts TSC ticks to nanoseconds.

#include <chrono>
#include <cstdint>
#include <thread>

namespace ringside::perf {

// Measured once against the steady clock; the first call takes 50 ms.
inline double tsc_ticks_per_ns() {
  static const double rate = [] {
    const auto from = std::chrono::steady_clock::now();
    const std::uint64_t ticks_from = __builtin_ia32_rdtsc();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto to = std::chrono::steady_clock::now();
    const std::uint64_t ticks = __builtin_ia32_rdtsc() - ticks_from;
    return static_cast<double>(ticks) /
           static_cast<double>(
               std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
  }();
  return rate;
}

}  // namespace ringside::perf
