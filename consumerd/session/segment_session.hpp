#pragma once
// This consumerd's work on one segment, from attaching to the end of its file.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/call_cost_reporter.hpp"
#include "consumerd/drain/collection_reporter.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/drain/loss_reporter.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/metrics/service_metrics.hpp"
#include "consumerd/requests/level_requests.hpp"
#include "consumerd/session/consumer_entry.hpp"
#include "consumerd/session/pending_work.hpp"
#include "consumerd/session/ring_shares.hpp"
#include "consumerd/session/round_result.hpp"
#include "consumerd/session/segment_clock.hpp"
#include "consumerd/session/segment_flush.hpp"
#include "consumerd/session/segment_meter.hpp"
#include "consumerd/session/segment_rings.hpp"
#include "consumerd/session/segment_rotation.hpp"
#include "consumerd/session/segment_sections.hpp"
#include "consumerd/session/segment_sleep.hpp"
#include "consumerd/session/sequence_points.hpp"
#include "consumerd/session/session_end.hpp"
#include "consumerd/session/snapshot_reader.hpp"
#include "consumerd/session/tapped_sessions.hpp"
#include "consumerd/session/trigger_checks.hpp"
#include "consumerd/session/write_delay.hpp"
#include "consumerd/triggers/trigger_queue.hpp"
#include "consumerd/write/slot_writer.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/codec/extent_encoder.hpp"

namespace ringside::consumer {

// What a session passes to the next one of the same segment when segments take turns
// (poll/segment_turns.hpp).
struct BetweenTurns {
  std::chrono::steady_clock::time_point section_start;  // a file's age counts over all turns
  bool rotation_requested = false;
  bool snapshot_wanted = false;
  bool was_alive = false;
};

class SegmentSession {
 public:
  static std::unique_ptr<SegmentSession> start(std::unique_ptr<AttachedSegment> segment,
                                               const std::string& output_dir, SlotWriter& writer,
                                               StagingFile& staging, const Log& log,
                                               std::string* why);

  // From now on its rings are divided among these threads when the first one is too slow.
  void use(SlotWriters& writers, EncoderThreads& threads) { shares_.use(writers, threads); }

  void set_rotation(const RotationPolicy& policy) { rotation_.set_policy(policy); }
  // Continues in a new file at the end of the next round that finds room, whatever the rotation
  // policy says.
  void request_rotation() { rotation_.request(); }
  // Whether a tool or the service has got a new file since the last call.
  bool take_asked_rotation() { return rotation_.take_asked(); }

  // Rules for records from the next round on. `source`: what was read again, for the trace; empty
  // at the start.
  void set_rules(std::shared_ptr<const RecordRules> rules, std::string source = {});
  // What this consumerd selects besides the rules, for the trace. Before the first poll().
  void set_filters(std::vector<trace::CollectionRule> filters) {
    collection_.set_filters(std::move(filters));
  }
  // Starts to check records and losses for triggers; call it again whenever the queue has other
  // rules.
  void set_triggers(TriggerQueue& triggers) { triggers_.follow(triggers, !rings_.empty()); }
  // For triggers: a separate snapshot if the rings are overwritten, otherwise nothing.
  void request_snapshot() {
    if (overwritten_) snapshots_.want();
  }
  void admit_level(shm::Level level, std::chrono::nanoseconds time, const std::string& trigger) {
    levels_.ask(level, time, trigger);
  }
  // From the next round on `session` takes records too, unless the rings are overwritten. The
  // statements that it wants are enabled. False with `*why` if its file cannot be opened.
  bool add_session(TraceSession& session, std::string* why);
  bool has_session(const TraceSession& session) const { return taps_.has(session); }
  // Records that the service has lost since the last call, if a trigger uses losses.
  std::uint64_t new_losses() { return triggers_.new_losses(); }
  // Whether the service was alive at first and is gone without having announced its end.
  bool service_died() const {
    return was_alive_ && !segment_->service_alive() && !segment_->service_has_closed();
  }
  TriggerSource trigger_source() const { return triggers_.source(); }

  // One pass over all rings, unless the trace file cannot be written.
  RoundResult poll();

  // See SegmentRings.
  void take_passed_bytes(BytesByProcessor* bytes) { rings_.take_passed_bytes(bytes); }

  // Work that is not needed in every round: streams that have ended.
  void tend();

  // The end of a session: begin_end() once, try_end() until it returns kOver, leave(). None of them
  // waits.
  enum class End {
    kNoSpace,  // staging is full: try again after some of it is written
    kWriting,  // everything is drained and sealed, but not yet in the file
    kStalled,  // the file cannot be written: try again later
    kOver,
  };
  void begin_end(trace::EndReason reason) { end_.begin(reason); }
  bool ending() const { return end_.has_begun(); }
  // When segments take turns: a session ends so that others are served, and another one continues.
  bool can_end_turn(std::chrono::steady_clock::time_point now,
                    std::chrono::steady_clock::duration turn) const;
  void end_turn() { end_.begin_turn_end(); }
  bool turn_is_over() const { return end_.turn_is_over(); }
  BetweenTurns between_turns() const {
    return {rotation_.section_start(), rotation_.is_requested(), snapshots_.is_wanted(),
            was_alive_};
  }
  // Before the first poll().
  void resume(const BetweenTurns& before);
  std::chrono::steady_clock::time_point served_since() const { return served_since_; }
  // From now on try_end() drains everything in one call, however long others wait.
  void take_all_at_once() { rings_.take_all_at_once(); }
  End try_end();
  // Releases the segment, and removes it if its service is gone or it was truncated.
  void leave();

  void seal() {
    file_->seal();
    shares_.seal();
  }
  // From now on its commits are in this staging file; a successor uses the name to find what this
  // consumerd leaves. No commit may be outstanding.
  void name_staging(const StagingFile& staging) { consumer::name_staging(*segment_, staging); }

  // Whether the segment was truncated: nothing more can be read from it.
  bool truncated() const { return segment_->truncated(); }

  bool service_alive() const { return segment_->service_alive(); }
  uid_t owner() const { return segment_->owner(); }
  const std::string& name() const { return segment_->name(); }
  std::array<std::uint8_t, 16> uuid() const { return std::to_array(segment_->header().uuid); }
  const TraceFile& file() const { return *file_; }
  std::uint64_t files_ended() const { return file_->files_ended() + shares_.files_ended(); }
  DrainCounts counts() const { return shares_.with_others(counts_); }
  // For a sleep of this process (poll/idle_sleep.hpp). Whether nothing but its service, or a
  // request, can make a round necessary soon.
  bool can_sleep() const {
    return sleep_.is_possible() && !ending() && !truncated() && !stalled() &&
           !delay_.is_followed() && !shares_.are_followed() && taps_.taker() == nullptr &&
           !file_->sync().is_busy() && !shares_.sync_is_busy() &&
           snapshots_.stage() == SnapshotReader::Stage::kNone &&
           (!overwritten_ || triggers_.watch() == nullptr);
  }
  // When what is committed has to be written, or what is written synced; max() if there is nothing.
  std::chrono::steady_clock::time_point next_write() const {
    return std::min({delay_.end(*file_), file_->sync().next_due(), shares_.next_write()});
  }
  SegmentSleep& sleep() { return sleep_; }
  // Between begin() and end() of that: whether a round is necessary now.
  bool has_work() { return !sleep_.is_allowed() || has_pending_work(*segment_); }
  // Whether its trace cannot be written: its rings are not drained.
  bool stalled() const { return rotation_.astray() || file_->stalled() || shares_.stalled(); }
  // The present metrics; the peak is that since the last call.
  ServiceMetrics metrics();

 private:
  SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log);
  Drained finish();
  Drained drain_all(std::uint64_t round_tsc, RoundResult* result, std::uint64_t* of_first,
                    std::uint64_t* watermark_tsc);
  Drained drain_at_end(std::uint64_t watermark_tsc);
  bool is_divisible() const;
  bool step_clock();
  bool report_losses();
  bool report_collection(std::chrono::steady_clock::time_point now);
  bool report_call_costs_at_end();
  bool rotate(std::uint64_t watermark_tsc);
  bool is_writable(std::chrono::steady_clock::time_point now);
  bool keeps_name(std::chrono::steady_clock::time_point now);
  bool follow_rules();
  bool flush_is_due(Drained drained) const;
  DrainWay drain_way();
  // For rings that are overwritten: false if staging is full.
  Drained serve_snapshot(std::uint64_t round_tsc);
  bool begin_snapshot(std::uint64_t round_tsc);
  Drained take_last_snapshot(std::uint64_t watermark_tsc);
  bool steer_at_end(std::uint64_t watermark_tsc);
  bool check_overwritten(std::uint64_t most_bytes, RoundResult* result);
  const Log& log_;
  std::unique_ptr<AttachedSegment> segment_;
  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<DictionaryFeed> dictionary_;
  std::unique_ptr<trace::ExtentEncoder> encoder_;
  std::unique_ptr<SegmentClock> clock_;
  std::unique_ptr<SegmentSections> sections_;
  std::shared_ptr<const RecordRules> next_rules_;  // null: the present rules stay
  std::string next_rules_source_;
  std::unique_ptr<RecordPass> pass_;          // null: no rule concerns the service
  std::shared_ptr<const RecordRules> rules_;  // for sessions
  TappedSessions taps_;
  LossReporter losses_;
  CollectionReporter collection_;
  CallCostReporter call_costs_;
  SegmentMeter meter_;
  SegmentRings rings_;
  RingShares shares_;
  std::vector<std::byte> scratch_;
  SequencePoints points_;
  DrainCounts counts_;
  SegmentRotation rotation_;
  const std::chrono::steady_clock::time_point served_since_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_losses_;
  SegmentSleep sleep_;
  WriteDelay delay_;
  SegmentFlush flush_;
  SnapshotReader snapshots_;
  TriggerChecks triggers_;
  LevelRequests levels_;
  SessionEnd end_;
  bool resumed_ = false;      // this consumerd has served the segment before
  bool was_alive_ = false;    // the service was alive when the session began
  bool overwritten_ = false;  // the rings are read only by snapshots
};

}  // namespace ringside::consumer
