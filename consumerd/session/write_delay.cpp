#include "consumerd/session/write_delay.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::milliseconds;

constexpr auto kUsualDelay = milliseconds(100);
constexpr auto kFollowedDelay = milliseconds(2);
constexpr auto kUsualPointInterval = milliseconds(20);
// After such a pause, the bytes of a round have waited in the rings.
constexpr auto kLongPause = milliseconds(50);
constexpr auto kFollowerCheckInterval = milliseconds(100);
constexpr auto kFollowerRotationTime = std::chrono::seconds(1);
// Longer than the patience of a follower (trace-format/reader/trace_follower.hpp).
constexpr auto kFollowersPatience = milliseconds(300);

}  // namespace

void WriteDelay::begin_round(Clock::time_point now, const TraceFile& file) {
  since_last_ = last_round_ == Clock::time_point() ? Clock::duration() : now - last_round_;
  last_round_ = now;
  if (now - last_check_ < kFollowerCheckInterval) return;
  last_check_ = now;
  if (file.has_follower()) last_seen_ = now;
  followed_ = last_seen_ != Clock::time_point() && now - last_seen_ < kFollowerRotationTime;
}

WriteDelay::Clock::time_point WriteDelay::end(const TraceFile& file) const {
  if (file.oldest() == Clock::time_point::max()) return Clock::time_point::max();
  return file.oldest() + (followed_ ? kFollowedDelay : kUsualDelay);
}

bool WriteDelay::is_over(Clock::time_point now, const TraceFile& file) const {
  if (file.oldest() == Clock::time_point::max()) return false;
  return since_last_ >= kLongPause || now >= end(file);
}

bool WriteDelay::needs_points(Clock::time_point now) const {
  return followed_ && last_records_ != Clock::time_point() &&
         now - last_records_ < kFollowersPatience;
}

WriteDelay::Clock::duration WriteDelay::point_interval() const {
  return followed_ ? kFollowedDelay : kUsualPointInterval;
}

}  // namespace ringside::consumer
