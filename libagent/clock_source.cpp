#include "libagent/clock_source.hpp"

#include <ctime>

#include "libagent/include/ringside/abi.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ringside {
namespace {

std::uint64_t read_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t declared_frequency_hz() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  // Intel SDM: TSC frequency = crystal frequency * ebx / eax, if all three are enumerated.
  if (__get_cpuid(0x15, &eax, &ebx, &ecx, &edx) != 0 && eax != 0 && ebx != 0 && ecx != 0) {
    return std::uint64_t{ecx} * ebx / eax;
  }
  // The hypervisors' convention: leaf 0x40000010 gives the TSC frequency in kHz.
  __cpuid(1, eax, ebx, ecx, edx);
  constexpr unsigned kHypervisorBit = 1U << 31;
  if ((ecx & kHypervisorBit) != 0) {
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    if (eax >= 0x40000010 && eax < 0x40010000) {
      __cpuid(0x40000010, eax, ebx, ecx, edx);
      if (eax != 0) return std::uint64_t{eax} * 1000;
    }
  }
  return 0;
#else
  std::uint64_t frequency = 0;
  __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency;
#endif
}

// A TSC value and a clock value of the same instant: the tightest of a few tries, because the
// thread may be preempted between the two reads.
void paired_reading(clockid_t clock, std::uint64_t* tsc, std::uint64_t* ns) {
  std::uint64_t best = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = rs_clock();
    const std::uint64_t now = read_ns(clock);
    const std::uint64_t after = rs_clock();
    if (after - before < best) {
      best = after - before;
      *tsc = before + (after - before) / 2;
      *ns = now;
    }
  }
}

std::uint64_t measured_frequency_hz() {
  constexpr std::uint64_t kSpanNs = 2'000'000;
  std::uint64_t tsc0 = 0;
  std::uint64_t ns0 = 0;
  paired_reading(CLOCK_MONOTONIC_RAW, &tsc0, &ns0);
  while (read_ns(CLOCK_MONOTONIC_RAW) - ns0 < kSpanNs) {
  }
  std::uint64_t tsc1 = 0;
  std::uint64_t ns1 = 0;
  paired_reading(CLOCK_MONOTONIC_RAW, &tsc1, &ns1);
  return static_cast<std::uint64_t>(static_cast<double>(tsc1 - tsc0) * 1e9 /
                                    static_cast<double>(ns1 - ns0));
}

}  // namespace

ClockReading read_clocks() {
  ClockReading reading{};
  paired_reading(CLOCK_MONOTONIC, &reading.tsc, &reading.monotonic_ns);
  // Both clocks of the kernel are read without the TSC in between; their distance is what counts.
  const std::uint64_t mono = read_ns(CLOCK_MONOTONIC);
  const std::uint64_t real = read_ns(CLOCK_REALTIME);
  reading.realtime_ns = real - (mono - reading.monotonic_ns);
  return reading;
}

std::uint64_t clock_frequency_hz() {
  const std::uint64_t declared = declared_frequency_hz();
  return declared != 0 ? declared : measured_frequency_hz();
}

}  // namespace ringside
