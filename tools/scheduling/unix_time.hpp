#pragma once
// The clock of trace files, which the kernel reads at each switch, too.

#include <cstdint>
#include <ctime>

namespace ringside::tool {

inline std::uint64_t unix_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace ringside::tool
