// Processor time of this thread: other programs on the machine hardly count.
#pragma once

#include <ctime>

namespace ringside::perf {

inline double processor_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace ringside::perf
