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
#include "consumerd/log.hpp"
#include "consumerd/ring_drain.hpp"
#include "consumerd/rotation.hpp"
#include "consumerd/slot_writer.hpp"
#include "consumerd/trace_file.hpp"
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
  const std::string& name() const { return segment_->name(); }
  const TraceFile& file() const { return *file_; }
  const DrainCounts& counts() const { return counts_; }

 private:
  static constexpr auto kAstrayRetry = std::chrono::seconds(1);
  static constexpr std::size_t kSectionFrontBytes = 1024;

  SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log);
  bool begin_section();
  bool finish();
  bool drain_rings(std::uint64_t ring_bytes, RoundResult* result);
  bool write_clock();
  void take_over_clock();
  void tell_successor(const trace::ClockPoint& point);
  bool write_sequence_point(std::uint64_t watermark_tsc);
  bool rotation_is_due(std::chrono::steady_clock::time_point now) const;
  bool rotate(std::uint64_t watermark_tsc);
  bool change_file();
  bool is_writable(std::chrono::steady_clock::time_point now);
  bool keeps_name(std::chrono::steady_clock::time_point now);
  std::vector<std::byte> section_front(std::uint32_t sequence);
  trace::EndBlock section_end(trace::EndReason reason) const;
  void follow_rings();
  void answer_flush();

  const Log& log_;
  std::unique_ptr<AttachedSegment> segment_;
  std::unique_ptr<TraceFile> file_;
  std::unique_ptr<DictionaryFeed> dictionary_;
  std::unique_ptr<trace::ExtentEncoder> encoder_;
  std::unique_ptr<trace::ClockSteering> clock_;
  std::vector<RingDrain> rings_;
  std::vector<std::byte> scratch_;
  std::vector<trace::StreamPosition> moved_;  // streams, since the last sequence point
  std::vector<trace::StreamPosition> told_;   // by ring: what the last one said
  DrainCounts counts_;
  DrainCounts section_counts_;  // counts_ where the present section begins
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
  std::uint64_t flush_seen_ = 0;
  std::uint64_t flush_sealed_ = 0;  // sealed() that answers flush_seen_
  std::size_t first_ring_ = 0;      // where the next round begins
  trace::EndReason end_reason_ = trace::EndReason::kConsumerEnded;
  bool begun_ = false;  // the section's front is in the file
  bool ending_ = false;
  bool finished_ = false;
  bool same_boot_ = false;
  bool rotation_requested_ = false;
  bool told_rotation_ = false;  // said that the next file cannot be made
  bool told_astray_ = false;    // and that nothing is drained until then
  bool astray_ = false;         // the present file has lost its name, and there is no next one yet
};

}  // namespace ringside::consumer
