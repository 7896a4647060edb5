#pragma once
// Moves the calling thread to a processor: it runs there when the call returns.

#include <cstdint>
#include <sched.h>
#include <vector>

namespace ringside::test {

// The processors that this process may use.
inline std::vector<std::uint32_t> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<std::uint32_t> processors;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return processors;
  for (std::uint32_t i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

inline bool run_on(std::uint32_t processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 &&
         sched_getcpu() == static_cast<int>(processor);
}

}  // namespace ringside::test
