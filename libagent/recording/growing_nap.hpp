#pragma once
// How long a thread sleeps between two looks at an answer of the consumer.

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace ringside {

// One in `parts` of the time that it has waited so far, so that it never waits much longer than
// necessary. A thousand services may wait for one consumer, and their wake-ups must leave it the
// processors. At most `most_ns`.
inline std::uint64_t growing_nap_ns(std::uint64_t waited_ns, std::uint64_t parts,
                                    std::uint64_t most_ns) {
  constexpr std::uint64_t kShortestNs = 20'000;
  constexpr std::uint64_t kLongestNs = 100'000'000;
  return std::min(std::clamp(waited_ns / parts, kShortestNs, kLongestNs), most_ns);
}

// 0: leaves the processor's other thread some of its time, and does not sleep. At most 999,999,999.
inline void nap(std::uint64_t nap_ns) {
  if (nap_ns == 0) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    // Takes as long as a pause on x86; `yield` takes no time on most processors.
    __asm__ volatile("isb" : : : "memory");
#endif
    return;
  }
  const timespec time{0, static_cast<long>(nap_ns)};
  nanosleep(&time, nullptr);
}

}  // namespace ringside
