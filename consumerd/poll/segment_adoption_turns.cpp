// How SegmentAdoption gives segments their turns when descriptors do not allow all of them at once.
#include <utility>

#include <sys/stat.h>

#include "consumerd/poll/segment_adoption.hpp"
#include "consumerd/session/pending_work.hpp"

namespace ringside::consumer {
namespace {

// Per user and call, so that present segments are drained however many wait.
constexpr auto kTurnsTime = std::chrono::milliseconds(5);

}  // namespace

void SegmentAdoption::take_turns(Clock::time_point now) {
  for (const uid_t user : turns_.users()) {
    const auto deadline = Clock::now() + kTurnsTime;
    while (Clock::now() < deadline) {
      const auto name = turns_.take_rested(user, now);
      if (!name) break;
      check_rested(user, *name, now);
    }
    while (Clock::now() < deadline) {
      const auto name = turns_.take_ready(user);
      if (!name) break;
      try_adopt(*name, true);
      if (turns_.contains(*name)) break;  // no place is free
    }
  }
}

void SegmentAdoption::wait_for_turn(const std::string& name, bool its_turn) {
  struct stat info {};
  // Without a descriptor. The owner only selects the queue.
  if (lstat((options_.shm_dir + "/" + name).c_str(), &info) != 0) return forget(name);
  not_ready_.erase(name);
  undrained_.erase(name);
  if (its_turn) return turns_.put_first(info.st_uid, name);
  turns_.put_last(info.st_uid, name);
}

// A turn of a segment that has nothing to drain would add a section to its trace all the same.
void SegmentAdoption::check_rested(uid_t user, const std::string& name, Clock::time_point now) {
  AttachFailure failure;
  const std::unique_ptr<AttachedSegment> segment =
      AttachedSegment::attach(options_.shm_dir, name, &failure, users_);
  if (segment == nullptr) return put_off(name, failure, true);
  segment->beat(now);
  const auto between = between_turns_.find(name);
  const bool is_asked = between == between_turns_.end() || between->second.rotation_requested ||
                        between->second.snapshot_wanted;
  if (is_asked || has_pending_work(*segment)) {
    turns_.put_last(user, name);
  } else {
    turns_.rest(user, name, now);
  }
}

void SegmentAdoption::interrupted(const SegmentSession& session) {
  ended(session);
  between_turns_[session.name()] = session.between_turns();
  turns_.rest(session.owner(), session.name(), Clock::now());
}

std::optional<BetweenTurns> SegmentAdoption::take_between_turns(const std::string& name) {
  const auto between = between_turns_.extract(name);
  if (!between) return {};
  return between.mapped();
}

void SegmentAdoption::request_rotation() {
  for (auto& [name, between] : between_turns_) between.rotation_requested = true;
}

void SegmentAdoption::want_snapshot() {
  for (auto& [name, between] : between_turns_) between.snapshot_wanted = true;
}

bool SegmentAdoption::give_last_turn(const std::string& name) {
  try_adopt(name, true);
  if (!turns_.contains(name)) return true;
  turns_.take_all();
  return false;
}

void SegmentAdoption::forget(const std::string& name) {
  between_turns_.erase(name);
  forget_(name);
}

}  // namespace ringside::consumer
