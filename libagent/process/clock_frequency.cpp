#include "libagent/process/clock_frequency.hpp"

#include <ctime>

#include "shm-layout/clock_reading.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ringside {
namespace {

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

std::uint64_t measured_frequency_hz() {
  constexpr std::uint64_t kSpanNs = 2'000'000;
  const shm::TickReading start = shm::read_tick_pair(CLOCK_MONOTONIC_RAW);
  while (shm::read_clock_ns(CLOCK_MONOTONIC_RAW) - start.ns < kSpanNs) {
  }
  const shm::TickReading end = shm::read_tick_pair(CLOCK_MONOTONIC_RAW);
  return static_cast<std::uint64_t>(static_cast<double>(end.tsc - start.tsc) * 1e9 /
                                    static_cast<double>(end.ns - start.ns));
}

}  // namespace

std::uint64_t clock_frequency_hz() {
  const std::uint64_t declared = declared_frequency_hz();
  return declared != 0 ? declared : measured_frequency_hz();
}

}  // namespace ringside
