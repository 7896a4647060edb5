#pragma once
// Segments that take turns, because descriptors do not allow all of them at once: which one is
// next, and how long a turn lasts. After its turn a segment rests; once it has something to drain,
// it is ready for the next one. Each user has a separate queue: a user who creates thousands of
// segments delays only their own.

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "consumerd/poll/check_queue.hpp"

namespace ringside::consumer {

class SegmentTurns {
 public:
  using Clock = std::chrono::steady_clock;

  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  bool contains(const std::string& name) const { return names_.contains(name); }
  // Users with segments here.
  std::vector<uid_t> users() const;

  // The segment is ready: after all others, or before them.
  void put_last(uid_t user, const std::string& name);
  void put_first(uid_t user, const std::string& name);
  // The segment has had its turn, or has nothing to drain.
  void rest(uid_t user, const std::string& name, Clock::time_point now);

  bool has_ready(uid_t user) const { return ready(user) > 0; }
  std::size_t ready(uid_t user) const;
  // Take a segment: the next one that is ready; the next one that has rested long enough to be
  // checked; any.
  std::optional<std::string> take_ready(uid_t user);
  std::optional<std::string> take_rested(uid_t user, Clock::time_point now);
  std::vector<std::string> take_all();

  // How long a segment is served while others of its user are ready and `places` are served at a
  // time.
  Clock::duration turn(uid_t user, std::size_t places) const;

 private:
  struct Queue {
    std::deque<std::string> ready;
    CheckQueue resting;
  };
  std::map<uid_t, Queue> queues_;
  std::set<std::string> names_;  // of all queues
};

}  // namespace ringside::consumer
