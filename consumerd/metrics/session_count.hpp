#pragma once
// Counts of one session that ringctl has started.

#include <cstdint>

namespace ringside::consumer {

struct SessionCount {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;  // wanted, but its buffers were full
  std::uint64_t bytes = 0;    // written to its files
};

}  // namespace ringside::consumer
