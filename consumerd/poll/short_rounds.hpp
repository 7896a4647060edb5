#pragma once
// When a round over many sessions may end before its last one.

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "consumerd/write/staging_file.hpp"

namespace ringside::consumer {

// With many more sessions than staging slots, a round over all of them finds space for a few only,
// and the writes that make room wait for the processor until it has asked for the others. So a
// round may end at the first session without space, where the next one begins. Sessions that need
// no space are reached by full rounds; short ones take four times as long, at most 100 ms.
class ShortRounds {
 public:
  using Clock = std::chrono::steady_clock;

  // For the round that begins now.
  bool may_end_early(std::size_t sessions, Clock::time_point now) const {
    return sessions > std::size_t{2} * kStagingSlots && now < full_round_due_;
  }
  void reached_all(Clock::time_point begin, Clock::time_point end) {
    constexpr Clock::duration kLongest = std::chrono::milliseconds(100);
    full_round_due_ = end + std::min(4 * (end - begin), kLongest);
  }

 private:
  Clock::time_point full_round_due_;
};

}  // namespace ringside::consumer
