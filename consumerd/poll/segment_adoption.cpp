#include "consumerd/poll/segment_adoption.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>

#include "consumerd/files/trace_name.hpp"
#include "consumerd/session/pending_work.hpp"
#include "consumerd/write/recovery.hpp"
#include "shm-layout/segment_name.hpp"
#include "trace-format/reader/open_files.hpp"

namespace ringside::consumer {
namespace {

using std::chrono::milliseconds;

constexpr auto kNotReadyInterval = milliseconds(20);
constexpr auto kLongestNotReadyInterval = std::chrono::seconds(2);
constexpr auto kOwnedInterval = milliseconds(100);
constexpr auto kOwnedPatience = std::chrono::seconds(1);
constexpr auto kRetryInterval = std::chrono::seconds(1);
constexpr auto kRefusedInterval = std::chrono::seconds(5);
// Per segment: its own file and its trace file; two more while the trace continues in a new file.
constexpr rlim_t kFilesOfSegment = 2;
constexpr rlim_t kOtherFiles = 64;
constexpr auto kRecoveryInterval = std::chrono::seconds(5);
// Per user and call, so that present segments are drained however many wait.
constexpr auto kTurnsTime = milliseconds(5);

// Opening a trace file takes its descriptor, and one for the directory meanwhile. Checked before,
// because a segment whose trace file cannot be opened is shown to its service as stalled.
bool can_open_trace_file() {
  const UniqueFd file(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const UniqueFd directory(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return file && directory;
}

}  // namespace

void SegmentAdoption::adopt_due(const std::vector<std::string>& appeared, Clock::duration at_most) {
  const auto now = Clock::now();
  for (const std::string& name : appeared) {
    if (serves(options_, std::string(shm::service_of_segment_name(name)))) {
      waiting_.put(name, now);
    }
  }
  while (const auto name = waiting_.take_due(now)) {
    if (!turns_.contains(*name)) try_adopt(*name);
    if (Clock::now() - now >= at_most) return;
  }
}

void SegmentAdoption::adopt_all() {
  for (const std::string& name : waiting_.take_all()) try_adopt(name);
}

void SegmentAdoption::ended(const SegmentSession& session) {
  const auto taken = sessions_of_.find(session.owner());
  if (taken != sessions_of_.end() && --taken->second == 0) sessions_of_.erase(taken);
  stems_.erase(session.file().stem());
}

bool SegmentAdoption::is_second_consumer() const {
  return !drained_any_ && owned_since_ && Clock::now() - *owned_since_ >= kOwnedPatience;
}

void SegmentAdoption::wait_for(const std::string& name, Clock::duration delay) {
  waiting_.put(name, Clock::now() + delay);
}

void SegmentAdoption::refuse(const std::string& name, const std::string& why) {
  if (!mentioned_.is_first(name)) return;
  ++refused_;
  if (options_.once && undrained_.contains(name)) return;
  log_.error(why, {{"segment", name}});
  if (mentioned_.is_full()) {
    log_.error("too many segments in " + options_.shm_dir +
               " cannot be drained; further messages of this kind are suppressed for one minute");
  }
}

// Finishes a dead consumerd's staging file. False if that must be tried again later.
bool SegmentAdoption::recover(const std::string& staging) {
  const auto failed = failed_recoveries_.find(staging);
  if (failed != failed_recoveries_.end() && failed->second > Clock::now()) return false;
  const RecoveryResult result =
      recover_staging(options_.shm_dir, staging, log_, options_.sync.syncs());
  failed_recoveries_.erase(staging);
  if (result == RecoveryResult::kFailed) {
    failed_recoveries_[staging] = Clock::now() + kRecoveryInterval;
  }
  return result == RecoveryResult::kDone || result == RecoveryResult::kNothing;
}

std::uint64_t SegmentAdoption::failing_recoveries(Clock::time_point now) const {
  return static_cast<std::uint64_t>(
      std::count_if(failed_recoveries_.begin(), failed_recoveries_.end(),
                    [now](const auto& failed) { return failed.second + kRecoveryInterval > now; }));
}

// Users get equal shares of the descriptors: a user who creates thousands of segments takes none
// from others.
bool SegmentAdoption::has_share_left(uid_t user) const {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  // The text reads the trace files, and has a file and a lock for each service.
  const bool has_text = !options_.text.dir.empty();
  const rlim_t others = kOtherFiles + (has_text ? trace::OpenFiles::most_open_here() : 0);
  const rlim_t of_segment = kFilesOfSegment + (has_text ? 2 : 0);
  const rlim_t files = limit.rlim_cur - std::min(others, limit.rlim_cur / 2);
  const auto taken = sessions_of_.find(user);
  if (taken == sessions_of_.end()) return true;
  // Of a group's members only those that record are known: one share stays free for another.
  const std::size_t shares = users_.are_open_ended()
                                 ? std::max(users_.listed().size(), sessions_of_.size()) + 1
                                 : users_.listed().size();
  return taken->second < files / of_segment / shares;
}

std::unique_ptr<AttachedSegment> SegmentAdoption::attach(const std::string& name, bool its_turn,
                                                         AttachFailure* failure) {
  std::unique_ptr<AttachedSegment> segment =
      AttachedSegment::attach(options_.shm_dir, name, failure, users_);
  if (segment == nullptr) return nullptr;
  const bool waits = !its_turn && turns_.has_ready(segment->owner());
  if (!waits && has_share_left(segment->owner()) && can_open_trace_file()) return segment;
  failure->error = AttachError::kNotNow;
  failure->no_descriptors = true;
  failure->may_hold_records = true;
  failure->why = name + " waits: user " + std::to_string(segment->owner()) +
                 " has used its share of file descriptors; raise the limit (ulimit -n)";
  return nullptr;
}

void SegmentAdoption::try_adopt(const std::string& name, bool its_turn) {
  AttachFailure failure;
  std::unique_ptr<AttachedSegment> segment = attach(name, its_turn, &failure);
  if (segment != nullptr) {
    std::array<std::uint8_t, 16> left_behind{};
    std::memcpy(left_behind.data(), segment->control().consumer.staging_uuid, left_behind.size());
    if (left_behind != std::array<std::uint8_t, 16>{} && left_behind != staging_.file().uuid()) {
      // Nothing is drained until recovery has finished, and its disk may fail.
      segment->publish_state(shm::ConsumerState::kStalled);
      // The lock must be free for the recovery, which sets this segment's positions.
      segment.reset();
      if (!recover(staging_name(left_behind))) {
        undrained_.put(name,
                       options_.shm_dir + "/" + name + " waits for the recovery of " +
                           staging_name(left_behind) + ", which a dead consumerd left",
                       true);
        return wait_for(name, kOwnedInterval);
      }
      segment = attach(name, its_turn, &failure);
    }
  }
  if (segment == nullptr) return put_off(name, failure, its_turn);
  not_ready_.erase(name);
  if (stems_.contains(trace_stem(name, segment->header()))) {
    const std::string why = name +
                            " has the service, pid and start time of another segment; it is "
                            "drained after that one ends";
    undrained_.put(name, why, true);
    refuse(name, why);
    return wait_for(name, kRetryInterval);
  }
  std::string why;
  const SegmentSession* const session = start_(std::move(segment), &why);
  if (session == nullptr) {
    undrained_.put(name, name + ": " + why, true);
    refuse(name, why);
    return wait_for(name, kRetryInterval);
  }
  mentioned_.forget(name);
  mentioned_.forget(name + "?");
  undrained_.erase(name);
  drained_any_ = true;
  ++sessions_of_[session->owner()];
  stems_.insert(session->file().stem());
}

// The delay grows: thousands of segments may never become ready.
SegmentAdoption::Clock::duration SegmentAdoption::longer_delay(const std::string& name) {
  Clock::duration& delay = not_ready_[name];
  delay = std::clamp<Clock::duration>(2 * delay, kNotReadyInterval, kLongestNotReadyInterval);
  return delay;
}

// Handles a segment that could not be attached.
void SegmentAdoption::put_off(const std::string& name, const AttachFailure& failure,
                              bool its_turn) {
  if (failure.no_descriptors && !options_.once) return wait_for_turn(name, its_turn);
  if (failure.error != AttachError::kNotReady && !failure.by_mode) not_ready_.erase(name);
  // A segment that is about to get its mode is not a problem yet.
  const bool is_new = failure.by_mode && !options_.once && not_ready_[name] < kRetryInterval;
  if (failure.may_hold_records && !is_new) {
    undrained_.put(name, failure.why, failure.error == AttachError::kNotNow);
  } else {
    undrained_.erase(name);
  }
  switch (failure.error) {
    case AttachError::kNone:
    case AttachError::kNotReady:
      return wait_for(name, longer_delay(name));
    case AttachError::kOwned:
      // Only a consumerd has a live staging file; a service may hold the lock itself.
      if (is_staging_in_use(options_.shm_dir, staging_name(failure.owner_staging))) {
        owned_by_other_ = true;
        if (!owned_since_) owned_since_ = Clock::now();
      } else {
        undrained_.put(name, failure.why, true);
      }
      refuse(name, failure.why +
                       "; stop that consumerd, or give this one other services (--service) or "
                       "another --shm-dir");
      return wait_for(name, kOwnedInterval);
    case AttachError::kNotNow:
      // A new segment is accessible only to its owner until it has its group and mode, some moments
      // later.
      if (failure.by_mode) {
        const Clock::duration delay = longer_delay(name);
        if (delay >= kRetryInterval) refuse(name, failure.why);
        return wait_for(name, delay);
      }
      // Logged only if the cause persists at the second check.
      if (!mentioned_.is_first(name + "?")) refuse(name, failure.why);
      return wait_for(name, kRetryInterval);
    case AttachError::kRefused:
      refuse(name, failure.why);
      forget(name);
      // Until it is removed, or its owner has fixed it.
      if (failure.may_hold_records) wait_for(name, kRefusedInterval);
      return;
    case AttachError::kGone:
      if (failure.removed_records) log_.error(failure.why, {{"segment", name}});
      mentioned_.forget(name);
      mentioned_.forget(name + "?");
      forget(name);
      owned_since_.reset();
      return;
  }
}

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
