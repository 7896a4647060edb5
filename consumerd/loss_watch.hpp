#pragma once
// How many records a service has lost since the last look, by what it counts itself.

#include <cstdint>
#include <vector>

#include "consumerd/attached_segment.hpp"

namespace ringside::consumer {

// Counters are what a service says: any value may stand there.
class LossWatch {
 public:
  // What was lost before is not new.
  explicit LossWatch(AttachedSegment& segment);

  // Of a thread that has ended since and whose ring is another's by now, nothing.
  std::uint64_t new_losses();

 private:
  struct Ring {
    std::uint32_t generation = 0;
    std::uint64_t dropped = 0;
  };

  AttachedSegment& segment_;
  std::vector<Ring> rings_;  // as the last look found them
  std::uint64_t refused_ = 0;
};

}  // namespace ringside::consumer
