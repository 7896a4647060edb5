#include "consumerd/poll/segment_turns.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ringside::consumer {
namespace {

using std::chrono::milliseconds;

// Each turn adds a section with several kilobytes to a trace.
constexpr SegmentTurns::Clock::duration kLongestTurn = milliseconds(100);
constexpr SegmentTurns::Clock::duration kShortestTurn = milliseconds(10);
// Far less than a service with the policy `block` waits for a live consumer (10 s by default).
constexpr SegmentTurns::Clock::duration kLongestCycle = std::chrono::seconds(2);
constexpr SegmentTurns::Clock::duration kShortestRest = milliseconds(100);
// A check of a resting segment takes some 50 us: at most 5 % of a processor for any number.
constexpr SegmentTurns::Clock::duration kRestForEach = milliseconds(1);

}  // namespace

std::vector<uid_t> SegmentTurns::users() const {
  std::vector<uid_t> users;
  users.reserve(queues_.size());
  for (const auto& [user, queue] : queues_) users.push_back(user);
  return users;
}

void SegmentTurns::put_last(uid_t user, const std::string& name) {
  if (names_.insert(name).second) queues_[user].ready.push_back(name);
}

void SegmentTurns::put_first(uid_t user, const std::string& name) {
  if (names_.insert(name).second) queues_[user].ready.push_front(name);
}

void SegmentTurns::rest(uid_t user, const std::string& name, Clock::time_point now) {
  if (!names_.insert(name).second) return;
  const auto others = static_cast<std::int64_t>(names_.size());
  queues_[user].resting.put(name,
                            now + std::max<Clock::duration>(kShortestRest, kRestForEach * others));
}

std::size_t SegmentTurns::ready(uid_t user) const {
  const auto queue = queues_.find(user);
  return queue == queues_.end() ? 0 : queue->second.ready.size();
}

std::optional<std::string> SegmentTurns::take_ready(uid_t user) {
  if (!has_ready(user)) return {};
  std::deque<std::string>& ready = queues_[user].ready;
  std::string name = std::move(ready.front());
  ready.pop_front();
  names_.erase(name);
  return name;
}

std::optional<std::string> SegmentTurns::take_rested(uid_t user, Clock::time_point now) {
  const auto queue = queues_.find(user);
  if (queue == queues_.end()) return {};
  std::optional<std::string> name = queue->second.resting.take_due(now);
  if (name) names_.erase(*name);
  return name;
}

std::vector<std::string> SegmentTurns::take_all() {
  std::vector<std::string> all;
  for (auto& [user, queue] : std::exchange(queues_, {})) {
    all.insert(all.end(), queue.ready.begin(), queue.ready.end());
    for (std::string& name : queue.resting.take_all()) all.push_back(std::move(name));
  }
  names_.clear();
  return all;
}

SegmentTurns::Clock::duration SegmentTurns::turn(uid_t user, std::size_t places) const {
  const auto turns = static_cast<std::int64_t>(std::max<std::size_t>(ready(user), 1));
  const auto at_once = static_cast<std::int64_t>(std::max<std::size_t>(places, 1));
  return std::clamp<Clock::duration>(kLongestCycle * at_once / turns, kShortestTurn, kLongestTurn);
}

}  // namespace ringside::consumer
