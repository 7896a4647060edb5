#pragma once
// Ends the turns of sessions when descriptors do not allow all segments at once.

#include <chrono>
#include <memory>
#include <vector>

#include "consumerd/log/log.hpp"
#include "consumerd/poll/segment_adoption.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

class SessionTurns {
 public:
  using Clock = std::chrono::steady_clock;
  using Sessions = std::vector<std::unique_ptr<SegmentSession>>;

  explicit SessionTurns(const Log& log) : log_(log) {}

  // Starts sessions for segments that wait, and ends the turns of others in `sessions`, to which
  // `adoption` may add some.
  void take(SegmentAdoption& adoption, const Sessions& sessions, Clock::time_point now);

 private:
  const Log& log_;
  Clock::time_point last_{};
  bool logged_ = false;  // that segments take turns
};

}  // namespace ringside::consumer
