#pragma once
// This consumerd's work on one segment, from attaching to the end of its file.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/dictionary_feed.hpp"
#include "consumerd/flush_desk.hpp"
#include "consumerd/level_desk.hpp"
#include "consumerd/log.hpp"
#include "consumerd/loss_teller.hpp"
#include "consumerd/loss_watch.hpp"
#include "consumerd/ring_drain.hpp"
#include "consumerd/ring_glance.hpp"
#include "consumerd/rotation.hpp"
#include "consumerd/segment_meter.hpp"
#include "consumerd/service_metrics.hpp"
#include "consumerd/slot_writer.hpp"
#include "consumerd/snapshot_desk.hpp"
#include "consumerd/trace_file.hpp"
#include "consumerd/trigger_desk.hpp"
#include "consumerd/trigger_watch.hpp"
#include "trace-format/block_writer.hpp"
#include "trace-format/clock_map.hpp"
#include "trace-format/extent_encoder.hpp"

namespace ringside::consumer {

struct RoundResult {
  std::uint64_t ring_bytes = 0;
  std::uint64_t fullest_permille = 0;  // of the fullest ring, as it was found
  bool starved = false;                // no staging slot was free: not everything was drained
};

class SegmentSession {
 public:
  static std::unique_ptr<SegmentSession> start(std::unique_ptr<AttachedSegment> segment,
                                               const std::string& output_dir, SlotWriter& writer,
                                               StagingFile& staging, const Log& log,
                                               std::string* why);

  void set_rotation(const RotationPolicy& policy) { rotation_ = policy; }
  // Goes on in a new file at the end of the next round that finds room, whatever the policy says.
  void request_rotation() { rotation_requested_ = true; }

  // What is to become of records from the next round on.
  void set_rules(std::shared_ptr<const RecordRules> rules);
  // What records and losses are looked at for; again whenever the desk has other rules.
  void set_triggers(TriggerDesk& desk);
  // For triggers: a snapshot of its own if the rings are overwritten, else nothing.
  void request_snapshot() { snapshot_wanted_ = overwritten_; }
  void admit_level(shm::Level level, std::chrono::nanoseconds time) { levels_.ask(level, time); }
  // What the service has lost since the last call, if a trigger wants to know.
  std::uint64_t new_losses() { return loss_watch_ ? loss_watch_->new_losses() : 0; }
  // Whether the service was alive once and has gone without saying so.
  bool service_died() const {
    return was_alive_ && !segment_->service_alive() && !segment_->service_has_closed();
  }
  TriggerSource trigger_source() const;

  // One look at every ring, unless the trace file cannot be written.
  RoundResult poll();

  // Housekeeping that does not have to happen in every round: ended streams.
  void tend();

  // The way out: begin_end() once, try_end() until it says kOver, leave(). Nothing of it waits.
  enum class End {
    kNoSpace,  // staging is full: again after some of it was written
    kWriting,  // everything is taken and sealed, but not yet in the file
    kStalled,  // the file cannot be written: again later
    kOver,
  };
  void begin_end(trace::EndReason reason);
  bool ending() const { return ending_; }
  // From now on try_end() takes what is there in one go, however long others wait.
  void take_all_at_once() { share_bytes_ = kAll; }
  End try_end();
  // Gives the segment up, removing it if its service is gone or it was cut short.
  void leave();

  void seal() { file_->seal(); }
  // Its commits are in this staging file from now on; a successor finds by it what this consumerd
  // leaves behind. None may be outstanding.
  void name_staging(const StagingFile& staging) {
    std::uint8_t(&name)[16] = segment_->control().consumer.staging_uuid;
    std::copy(staging.uuid().begin(), staging.uuid().end(), name);
  }

  // Whether the segment was cut short: nothing more can be had from it.
  bool truncated() const { return segment_->truncated(); }

  bool service_alive() const { return segment_->service_alive(); }
  uid_t owner() const { return segment_->owner(); }
  const std::string& name() const { return segment_->name(); }
  const TraceFile& file() const { return *file_; }
  const DrainCounts& counts() const { return counts_; }
  // Whether its trace cannot be written: nothing is taken from its rings.
  bool stalled() const { return astray_ || file_->stalled(); }
  // What is to be told of it now; its peak is that since the last call.
  ServiceMetrics metrics();

 private:
  static constexpr auto kAstrayRetry = std::chrono::seconds(1);
  static constexpr std::size_t kSectionFrontBytes = 1024;

  SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log);
  bool begin_section();
  enum class Drained {
    kAll,      // what was published when it began
    kShare,    // as much as one round may take, and there is more
    kNoSpace,  // staging is full
  };
  Drained finish();
  Drained drain_rings(RoundResult* result);
  bool tell_losses();
  bool write_clock();
  void take_over_clock();
  void tell_successor(const trace::ClockPoint& point);
  bool write_sequence_point(std::uint64_t watermark_tsc);
  bool rotation_is_due(std::chrono::steady_clock::time_point now);
  bool rotate(std::uint64_t watermark_tsc);
  bool change_file();
  bool is_writable(std::chrono::steady_clock::time_point now);
  bool keeps_name(std::chrono::steady_clock::time_point now);
  std::vector<std::byte> section_front(std::uint32_t sequence);
  trace::EndBlock section_end(trace::EndReason reason) const;
  void follow_rings();
  bool follow_rules();
  void look_for_flush();
  bool flush_is_due(Drained drained) const;
  DrainWay drain_way();
  // Of rings that are overwritten (segment_snapshot.cpp): false if staging is full.
  Drained serve_snapshot(std::uint64_t round_tsc);
  bool begin_snapshot(std::uint64_t round_tsc);
  Drained read_rings();
  Drained take_last_snapshot(std::uint64_t watermark_tsc);
  void answer_snapshot();
  // Of rings that are overwritten (segment_session_triggers.cpp): what was recorded since the last
  // look, about `most_bytes` of it. False if staging is full.
  bool look_at_overwritten(std::uint64_t most_bytes, RoundResult* result);

  const Log& log_;
  std::unique_ptr<AttachedSegment> segment_;
  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<DictionaryFeed> dictionary_;
  std::unique_ptr<trace::ExtentEncoder> encoder_;
  std::unique_ptr<trace::ClockSteering> clock_;
  std::shared_ptr<const RecordRules> next_rules_;  // null: the present ones stay
  std::unique_ptr<RecordPass> pass_;               // null: no rule concerns the service
  LossTeller losses_;
  SegmentMeter meter_;
  std::vector<RingDrain> rings_;
  std::vector<std::byte> scratch_;
  std::vector<trace::StreamPosition> moved_;  // streams, since the last sequence point
  std::vector<trace::StreamPosition> told_;   // by ring: what the last one said
  DrainCounts counts_;
  std::uint64_t peak_permille_ = 0;  // of the fullest ring, since metrics()
  DrainCounts section_counts_;       // counts_ where the present section begins
  RotationPolicy rotation_;
  std::chrono::steady_clock::time_point section_start_;
  std::chrono::steady_clock::time_point rotation_retry_;
  std::chrono::steady_clock::time_point last_name_check_;
  std::uint64_t front_bytes_ = 0;   // of the present file; of one that was gone on with, none
  trace::ClockPoint clock_before_;  // the point before clock_->last()
  std::uint64_t watermark_tsc_ = 0;
  std::uint64_t bytes_since_point_ = 0;
  std::chrono::steady_clock::time_point last_point_;
  std::chrono::steady_clock::time_point last_clock_;
  std::chrono::steady_clock::time_point last_losses_;
  std::uint64_t rotation_asked_;  // by tools
  std::size_t first_ring_ = 0;    // where the next round begins
  FlushDesk flush_desk_;
  std::vector<std::uint64_t> flush_marks_;  // by ring: what a flush is to have taken
  enum class Snapshot : std::uint8_t {
    kNone,
    kReading,  // rings from snapshot_ring_ on are still to be read
    kWriting,  // all of it is sealed, but not yet in the file
  };
  SnapshotDesk desk_;
  std::size_t snapshot_ring_ = 0;
  std::uint64_t snapshot_tsc_ = 0;     // when it began
  std::uint64_t snapshot_sealed_ = 0;  // sealed() that ends it
  std::string snapshot_path_;
  DrainCounts snapshot_counts_;          // counts_ when it began
  std::unique_ptr<TriggerWatch> watch_;  // null: no trigger looks at records
  std::unique_ptr<LossWatch> loss_watch_;
  std::vector<RingGlance> glances_;  // by ring, if it is overwritten
  std::size_t first_glance_ = 0;     // where the next look begins
  LevelDesk levels_;
  static constexpr std::uint64_t kAll = UINT64_MAX;
  // Of rings, in one round. Rings of gigabytes are allowed, and others must not wait for them.
  std::uint64_t share_bytes_ = std::uint64_t{16} << 20;
  trace::EndReason end_reason_ = trace::EndReason::kConsumerEnded;
  // Small ones together.
  Snapshot snapshot_ = Snapshot::kNone;
  bool snapshot_wanted_ = false;     // by a trigger
  bool snapshot_asked_ = false;      // the present one, by a tool, which waits for the answer
  bool continues_snapshot_ = false;  // one that a consumerd before this one was asked for
  bool last_snapshot_taken_ = false;
  bool flushing_ = false;          // asked for, and not taken yet
  bool glances_from_now_ = false;  // those that are made next
  bool told_missed_ = false;       // said that not everything can be looked at
  bool was_alive_ = false;         // the service, when the session began
  bool begun_ = false;             // the section's front is in the file
  bool ending_ = false;
  bool finished_ = false;
  bool same_boot_ = false;
  bool overwritten_ = false;       // the rings are read by snapshots only
  bool file_has_records_ = false;  // of this or another consumerd
  bool rotation_requested_ = false;
  bool told_rotation_ = false;  // said that the next file cannot be made
  bool told_astray_ = false;    // and that nothing is drained until then
  bool astray_ = false;         // the present file has lost its name, and there is no next one yet
};

}  // namespace ringside::consumer
