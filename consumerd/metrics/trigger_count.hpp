#pragma once
// Results of the triggers of one name.

#include <cstdint>

namespace ringside::consumer {

// Since the start, for all rules of this name.
struct TriggerCount {
  std::uint64_t fired = 0;
  std::uint64_t held_back = 0;     // by the rule's pause
  std::uint64_t hooks_failed = 0;  // not run, or ended with another status than 0
  double last_fired_unix_s = 0;    // 0: never
};

}  // namespace ringside::consumer
