#pragma once
// What one round over the rings of a segment did.

#include <cstdint>

namespace ringside::consumer {

struct RoundResult {
  std::uint64_t ring_bytes = 0;
  std::uint64_t fullest_permille = 0;  // of the fullest ring, as found in this round
  bool starved = false;                // no staging slot was free: some records were not drained
};

}  // namespace ringside::consumer
