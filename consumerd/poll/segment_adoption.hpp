#pragma once
// Adopts segments: when each one is checked, what happens then, and which are not drained.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "consumerd/configuration/options.hpp"
#include "consumerd/descriptors/trusted_open.hpp"
#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/log/log_once.hpp"
#include "consumerd/poll/check_queue.hpp"
#include "consumerd/poll/segment_turns.hpp"
#include "consumerd/poll/staging_keeper.hpp"
#include "consumerd/poll/undrained_segments.hpp"
#include "consumerd/session/segment_session.hpp"

namespace ringside::consumer {

class SegmentAdoption {
 public:
  using Clock = std::chrono::steady_clock;
  // Starts a session, which lives until ended(). Null with `*why` on failure.
  using Start = std::function<const SegmentSession*(std::unique_ptr<AttachedSegment> segment,
                                                    std::string* why)>;

  // Called for a segment that is gone or of no use.
  using Forget = std::function<void(const std::string& name)>;

  // All but `start` and `forget` must outlive this.
  SegmentAdoption(const Options& options, const AllowedUsers& users, const StagingKeeper& staging,
                  const Log& log, Start start, Forget forget)
      : options_(options),
        users_(users),
        staging_(staging),
        log_(log),
        start_(std::move(start)),
        forget_(std::move(forget)) {}

  // Takes in names that have appeared, and checks segments that are due, those that have waited
  // longest first, for `at_most`.
  void adopt_due(const std::vector<std::string>& appeared, Clock::duration at_most);
  // When the next check is due.
  std::optional<Clock::time_point> next_check() const { return waiting_.next_due(); }
  // Checks all segments that wait, due or not.
  void adopt_all();
  void ended(const SegmentSession& session);

  // When descriptors do not allow all segments at once (segment_turns.hpp). With --once segments
  // take no turns.
  const SegmentTurns& turns() const { return turns_; }
  // Starts sessions for the segments that are ready, as far as there are descriptors now.
  void take_turns(Clock::time_point now);
  // The session's turn is over; it is about to leave.
  void interrupted(const SegmentSession& session);
  // What a session that starts now has to take over from an earlier one.
  std::optional<BetweenTurns> take_between_turns(const std::string& name);
  // For the segments that are not served now.
  void request_rotation();
  void want_snapshot();
  // At the end: the names of all that wait; and a last turn for one of them. False if there are no
  // descriptors.
  std::vector<std::string> take_waiting() { return turns_.take_all(); }
  bool give_last_turn(const std::string& name);

  // Whether any segment was found to be another consumerd's.
  bool owned_by_other() const { return owned_by_other_; }
  // Whether another consumerd drains the segments of this one. Recoveries under way at the start
  // can hide that; and the other may be running briefly (--once).
  bool is_second_consumer() const;

  const UndrainedSegments& undrained() const { return undrained_; }
  // Segments, counted each time a refusal is logged.
  std::uint64_t refused() const { return refused_; }
  // Recoveries that are tried again: a file that no segment names any more is not tried again.
  std::uint64_t failing_recoveries(Clock::time_point now) const;

 private:
  // `its_turn`: those that are ready before it have been adopted.
  void try_adopt(const std::string& name, bool its_turn = false);
  std::unique_ptr<AttachedSegment> attach(const std::string& name, bool its_turn,
                                          AttachFailure* failure);
  void put_off(const std::string& name, const AttachFailure& failure, bool its_turn);
  void wait_for_turn(const std::string& name, bool its_turn);
  void check_rested(uid_t user, const std::string& name, Clock::time_point now);
  void forget(const std::string& name);
  bool has_share_left(uid_t user) const;
  void wait_for(const std::string& name, Clock::duration delay);
  Clock::duration longer_delay(const std::string& name);
  void refuse(const std::string& name, const std::string& why);
  bool recover(const std::string& staging);

  const Options& options_;
  const AllowedUsers& users_;
  const StagingKeeper& staging_;
  const Log& log_;
  const Start start_;
  const Forget forget_;
  CheckQueue waiting_;  // segments to check again
  SegmentTurns turns_;  // segments for which there are no descriptors now
  std::map<std::string, BetweenTurns> between_turns_;  // of those that were served before
  // Segments that were not ready: when to check again.
  std::map<std::string, Clock::duration> not_ready_;
  std::map<std::string, Clock::time_point> failed_recoveries_;  // by staging file: when to retry
  LogOnce mentioned_;
  UndrainedSegments undrained_;
  std::map<uid_t, std::size_t> sessions_of_;  // number of sessions per user
  std::set<std::string> stems_;               // of the sessions' trace files
  std::uint64_t refused_ = 0;
  bool owned_by_other_ = false;
  bool drained_any_ = false;
  std::optional<Clock::time_point> owned_since_;
};

}  // namespace ringside::consumer
