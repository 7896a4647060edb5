// How PollLoop serves segments in turns when descriptors do not allow all of them at once.
#include <algorithm>
#include <utility>

#include "consumerd/poll/poll_loop.hpp"

namespace ringside::consumer {
namespace {

constexpr auto kTurnsInterval = std::chrono::milliseconds(5);

}  // namespace

void PollLoop::take_turns(Clock::time_point now) {
  const SegmentTurns& turns = adoption_.turns();
  if (turns.empty() || now - last_turns_ < kTurnsInterval) return;
  adoption_.take_turns(now);
  for (const uid_t user : turns.users()) end_turns(user, now);
  if (!turns.empty() && !std::exchange(logged_turns_, true)) {
    log_.error("descriptors allow " + std::to_string(sessions_.size()) + " segments at once, and " +
               std::to_string(turns.size()) +
               " more wait: consumerd serves them in turns; raise the limit (ulimit -n, or "
               "LimitNOFILE= in the systemd unit) and restart consumerd");
  }
  last_turns_ = Clock::now();
}

// Ends the turns of as many segments as are ready, those first that have been served longest. If
// other users have all descriptors, theirs end.
void PollLoop::end_turns(uid_t user, Clock::time_point now) {
  std::size_t wanted = adoption_.turns().ready(user);
  if (wanted == 0) return;
  const bool has_own = std::any_of(sessions_.begin(), sessions_.end(),
                                   [user](const auto& one) { return one->owner() == user; });
  std::vector<SegmentSession*> served;
  for (const auto& session : sessions_) {
    if (has_own && session->owner() != user) continue;
    served.push_back(session.get());
    if (session->ending() && wanted > 0) --wanted;
  }
  std::sort(served.begin(), served.end(), [](const SegmentSession* a, const SegmentSession* b) {
    return a->served_since() < b->served_since();
  });
  const Clock::duration turn = adoption_.turns().turn(user, served.size());
  for (SegmentSession* const session : served) {
    if (wanted == 0) return;
    if (!session->can_end_turn(now, turn)) continue;
    session->end_turn();
    --wanted;
  }
}

// At the end: a last turn for each segment that waits. Returns as finish_all().
bool PollLoop::finish_turns() {
  for (const std::string& name : adoption_.take_waiting()) {
    if (adoption_.give_last_turn(name)) continue;
    if (!finish_all()) return false;
    adoption_.give_last_turn(name);
  }
  return finish_all();
}

}  // namespace ringside::consumer
