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

// Two readings this far apart give the rate to some 50 parts in a million, which is enough until a
// consumer measures it, or until it is refined.
constexpr std::uint64_t kLeastSpanNs = 200'000;
constexpr std::uint64_t kRefinedSpanNs = 10'000'000;
// The ticks may not have counted all the time: the machine may have been suspended.
constexpr std::uint64_t kMostSpanNs = 10'000'000'000;

// When the library was loaded, usually long enough before the first segment is created, so that
// nothing has to wait.
shm::TickReading g_begin{};
std::uint64_t g_measured_hz = 0;
bool g_is_refined = false;

shm::TickReading read_raw_clock() {
  return shm::read_tick_pair(CLOCK_MONOTONIC_RAW);
}

__attribute__((constructor(101))) void begin_to_measure() {
  g_begin = read_raw_clock();
}

void measure(std::uint64_t least_span_ns) {
  if (read_raw_clock().ns - g_begin.ns > kMostSpanNs) g_begin = read_raw_clock();
  while (shm::read_clock_ns(CLOCK_MONOTONIC_RAW) - g_begin.ns < least_span_ns) {
  }
  const shm::TickReading end = read_raw_clock();
  g_measured_hz = static_cast<std::uint64_t>(static_cast<double>(end.tsc - g_begin.tsc) * 1e9 /
                                             static_cast<double>(end.ns - g_begin.ns));
  g_is_refined = end.ns - g_begin.ns >= kRefinedSpanNs;
}

}  // namespace

std::uint64_t clock_frequency_hz() {
  // Asked once: a hypervisor takes tens of microseconds for the answer.
  static const std::uint64_t declared = declared_frequency_hz();
  if (declared != 0) return declared;
  if (g_measured_hz == 0) measure(kLeastSpanNs);
  return g_measured_hz;
}

std::optional<std::uint64_t> refined_clock_frequency_hz() {
  if (g_measured_hz == 0 || g_is_refined) return {};
  if (read_raw_clock().ns - g_begin.ns < kRefinedSpanNs) return {};
  measure(0);
  return g_measured_hz;
}

}  // namespace ringside
