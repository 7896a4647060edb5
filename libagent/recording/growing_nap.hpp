#pragma once
// How long a thread sleeps between two looks at an answer of the consumer.

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace ringside {

// A quarter of the time that it has waited so far, so that it never waits much longer than
// necessary. A thousand services may wait for one consumer, and their wake-ups must leave it the
// processors. At most `most_ns`.
inline void growing_nap(std::uint64_t waited_ns, std::uint64_t most_ns) {
  constexpr std::uint64_t kShortestNs = 20'000;
  constexpr std::uint64_t kLongestNs = 100'000'000;
  const std::uint64_t nap_ns =
      std::min(std::clamp(waited_ns / 4, kShortestNs, kLongestNs), most_ns);
  const timespec nap{0, static_cast<long>(nap_ns)};
  nanosleep(&nap, nullptr);
}

}  // namespace ringside
