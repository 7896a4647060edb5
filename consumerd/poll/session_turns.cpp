#include "consumerd/poll/session_turns.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ringside::consumer {
namespace {

constexpr auto kTurnsInterval = std::chrono::milliseconds(5);

// Ends the turns of as many segments as are ready, those first that have been served longest. If
// other users have all descriptors, theirs end.
void end_turns(const SegmentTurns& turns, const SessionTurns::Sessions& sessions, uid_t user,
               SessionTurns::Clock::time_point now) {
  std::size_t wanted = turns.ready(user);
  if (wanted == 0) return;
  const bool has_own = std::any_of(sessions.begin(), sessions.end(),
                                   [user](const auto& one) { return one->owner() == user; });
  std::vector<SegmentSession*> served;
  for (const auto& session : sessions) {
    if (has_own && session->owner() != user) continue;
    served.push_back(session.get());
    if (session->ending() && wanted > 0) --wanted;
  }
  std::sort(served.begin(), served.end(), [](const SegmentSession* a, const SegmentSession* b) {
    return a->served_since() < b->served_since();
  });
  const SessionTurns::Clock::duration turn = turns.turn(user, served.size());
  for (SegmentSession* const session : served) {
    if (wanted == 0) return;
    if (!session->can_end_turn(now, turn)) continue;
    session->end_turn();
    --wanted;
  }
}

}  // namespace

void SessionTurns::take(SegmentAdoption& adoption, const Sessions& sessions,
                        Clock::time_point now) {
  const SegmentTurns& turns = adoption.turns();
  if (turns.empty() || now - last_ < kTurnsInterval) return;
  adoption.take_turns(now);
  for (const uid_t user : turns.users()) end_turns(turns, sessions, user, now);
  if (!turns.empty() && !std::exchange(logged_, true)) {
    log_.error("descriptors allow " + std::to_string(sessions.size()) + " segments at once, and " +
               std::to_string(turns.size()) +
               " more wait: consumerd serves them in turns; raise the limit (ulimit -n, or "
               "LimitNOFILE= in the systemd unit) and restart consumerd");
  }
  last_ = Clock::now();
}

}  // namespace ringside::consumer
