#pragma once
// This consumerd's work on one segment, from attaching to the end of its file.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/dictionary_feed.hpp"
#include "consumerd/log.hpp"
#include "consumerd/ring_drain.hpp"
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

  // One look at every ring.
  RoundResult poll(bool writable);

  // Housekeeping that does not have to happen in every round: ended streams.
  void tend();

  // Takes everything that is left, ends the section and sends it off. False if staging is full:
  // call again after some of it was written.
  bool finish(trace::EndReason reason);

  // Whether all that was sealed has been written.
  bool settled() const { return file_->written() == file_->sealed(); }
  void seal() { file_->seal(); }

  // After finish() and settled(): gives the segment up, removing it if its service is gone.
  void leave(bool remove);

  bool service_alive() const { return segment_->service_alive(); }
  const std::string& name() const { return segment_->name(); }
  const TraceFile& file() const { return *file_; }
  const DrainCounts& counts() const { return counts_; }

 private:
  SegmentSession(std::unique_ptr<AttachedSegment> segment, const Log& log);
  bool begin_section();
  bool write_clock();
  bool write_sequence_point(std::uint64_t watermark_tsc);
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
  std::vector<std::uint64_t> told_sequence_;  // by ring: next_sequence at the last one
  DrainCounts counts_;
  std::uint64_t watermark_tsc_ = 0;
  std::uint64_t bytes_since_point_ = 0;
  std::chrono::steady_clock::time_point last_point_;
  std::chrono::steady_clock::time_point last_clock_;
  std::uint64_t flush_seen_ = 0;
  std::uint64_t flush_sealed_ = 0;  // sealed() that answers flush_seen_
  bool same_boot_ = false;
};

}  // namespace ringside::consumer
