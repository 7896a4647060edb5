#pragma once
// Processor placement: the measured thread on one core, the consumer on another.

#include <optional>
#include <sched.h>
#include <vector>

namespace ringside::perf {

struct Processors {
  int measured = 0;
  int consumer = 0;
};

inline std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> allowed;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) allowed.push_back(cpu);
  }
  return allowed;
}

// Applies to this thread and to the threads that it starts.
inline bool pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// The last processor that this process may use is measured, because the first ones get the most
// interrupts; the one before it is the consumer's. Empty if there is only one.
inline std::optional<Processors> choose_processors() {
  const std::vector<int> allowed = allowed_processors();
  if (allowed.size() < 2) return {};
  return Processors{allowed.back(), allowed[allowed.size() - 2]};
}

}  // namespace ringside::perf
