#pragma once
// How many records a service has lost since the last check, by its own counters.

#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"

namespace ringside::consumer {

// The service can write any value to its counters.
class LossWatch {
 public:
  // Earlier losses are not new.
  explicit LossWatch(AttachedSegment& segment);

  // Losses of a thread that has ended since, and whose ring has another owner now, are not counted.
  std::uint64_t new_losses();

 private:
  struct Ring {
    std::uint32_t generation = 0;
    std::uint64_t dropped = 0;
  };

  AttachedSegment& segment_;
  std::vector<Ring> rings_;  // values of the last check
  std::uint64_t refused_ = 0;
};

}  // namespace ringside::consumer
