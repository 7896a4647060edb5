#pragma once
// Takes published records out of one ring: copy, encode, commit to staging, release the space.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/batch_taker.hpp"
#include "consumerd/drain/context_keeper.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/rings/ring_copy.hpp"
#include "consumerd/rings/space_wake.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/triggers/trigger_watch.hpp"
#include "consumerd/write/trace_file.hpp"
#include "trace-format/codec/extent_encoder.hpp"
#include "trace-format/codec/untold_drops.hpp"

namespace ringside::consumer {

// Why a ring was quarantined. Stored in the ring's consumer line.
enum class Quarantine : std::uint32_t {
  kNone = 0,
  kPosition = 1,    // producer_pos outside of the ring
  kRecord = 2,      // bytes that are not a record
  kDictionary = 3,  // a record of a site after the damaged part of the dictionary
  kMapping = 4,     // the ring's memory cannot be mapped
  kTruncated = 5,   // the segment's file was truncated
};

// Bytes encoded at a time: they fit the second-level cache together with their encoding.
inline constexpr std::uint64_t kDrainBatchBytes = 64U << 10;

// Space that the encoder needs for records of `bytes`.
constexpr std::size_t encoder_room(std::size_t bytes) {
  return 2 * bytes + 4096;
}

struct DrainCounts {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;      // from any cause
  std::uint64_t overwritten = 0;  // part of `dropped`
  std::uint64_t left_behind = 0;  // part of `dropped`: left in quarantined rings, estimated
  std::uint64_t sampled = 0;      // left out by a rule
  std::uint64_t ring_bytes = 0;
  std::uint64_t file_bytes = 0;
};

// The destination of the records of a segment's ring, and everything used on the way.
struct DrainWay {
  TraceFile& file;
  DictionaryFeed& dictionary;
  trace::ExtentEncoder& encoder;
  RecordPass* pass;     // null: no rule concerns the service
  TriggerWatch* watch;  // null: no trigger checks its records
  BatchTaker* taker;    // null: only the main trace takes its records
  std::vector<std::byte>& scratch;
  std::uint64_t watermark_tsc;
  DrainCounts* counts;
  const Log& log;
};

class RingDrain {
 public:
  enum class Result {
    kDone,
    kNoSpace,  // staging is full
    kMore,     // the requested amount was taken; the rest is still there
  };

  // `resumes`: this consumerd has drained the ring before. Then a quarantined ring stays so.
  RingDrain(AttachedSegment& segment, std::uint32_t index, bool resumes = false);

  // Cheap: whether the producer has published data that is not consumed yet.
  bool has_data() const {
    // Relaxed: drain() reads it again with acquire before it reads any byte.
    return !quarantined_ &&
           metadata_->producer.producer_pos.load(std::memory_order_relaxed) != pos_;
  }

  // A lower bound of the producer's position.
  std::uint64_t published() const {
    return metadata_->producer.producer_pos.load(std::memory_order_acquire);
  }
  // Whether everything up to `published` was taken, as far as it can be.
  bool has_taken(std::uint64_t published) const {
    return static_cast<std::int64_t>(pos_ - published) >= 0 || !has_data();
  }

  // Takes what is published at the time of the call, about `most_bytes` of it at most.
  Result drain(std::uint64_t most_bytes, const DrainWay& way);

  // The same for a ring that is overwritten: takes whole records that were in no snapshot before.
  // Missing records are reported as lost. After kNoSpace the next call continues with the copy.
  // `*copied` grows by the bytes that were read, whether or not they were used.
  Result drain_overwritten(std::uint64_t most_bytes, const DrainWay& way, std::uint64_t* copied);

  // The service is gone: publishes what its signal handlers recorded within a log call that never
  // ended, and skips that call.
  void publish_nested();
  // Reports losses after the last record of a stream that has ended, which no record reports.
  // `service_ended`: also for streams that never retired, and, as an estimate, for what is left in
  // a quarantined ring, because it will never be drained.
  Result book_final_drops(const DrainWay& way, bool service_ended);

  // Appends the STREAM block of a live stream to the front of a new section.
  void restate_stream(std::vector<std::byte>* front);
  // The section with that front becomes the present one.
  void enter_restated_section() { announced_ = restated_; }

  // The share of the segment's rings to which it belongs (session/ring_share.hpp), and whose file
  // gets its records.
  std::uint32_t share() const { return share_; }
  // From now on its records go to the file of another share, whose section does not have its stream
  // yet. Between two rounds.
  void move_to(std::uint32_t share);
  // Whether the file that it left before the last move has all its records.
  bool has_arrived() const { return awaited_pos_ == 0; }

  // The journal entry's bytes are in the trace file, with everything before them in that file.
  void written(const shm::JournalEntry& entry);

  bool quarantined() const { return quarantined_; }
  // Bytes published and not taken, as far as they can be right.
  std::uint64_t unread_bytes() const;
  bool is_half_full() const { return unread_bytes() >= segment_->layout().ring_bytes / 2; }
  // Whether it is worth a share of the work.
  bool is_busy() const { return unread_bytes() >= kDrainBatchBytes || is_half_full(); }
  const trace::StreamCursor& cursor() const { return cursor_; }
  std::uint64_t fill_bytes() const { return last_fill_; }  // found by the last drain
  // Bytes that were taken since the last call.
  std::uint64_t take_passed_bytes() { return pos_ - std::exchange(passed_pos_, pos_); }

 private:
  bool enter_stream(TraceFile& file, const RingOwner& owner);
  void adopt_generation(std::uint32_t generation);
  Result drain_batch(const DrainWay& way, std::uint64_t end);
  bool report_overwritten(const DrainWay& way);
  Result encode_copy(std::uint64_t most_bytes, const DrainWay& way);
  // Result for the records at the front of a private copy.
  struct Encoded {
    std::uint64_t consumed = 0;  // of the copy; accepted already
    bool no_space = false;
    bool given_up = false;
  };
  Encoded encode(const DrainWay& way, std::span<const std::byte> records,
                 std::uint64_t consumer_tsc, bool samples);
  void enter_watched();
  void accept(const DrainWay& way, const trace::EncodeResult& result, std::uint64_t consumed);
  Result book_drops(const DrainWay& way, const trace::UntoldDrops& drops);
  Result give_up_for_good(const DrainWay& way);
  void publish();
  void quarantine(Quarantine reason, const std::string& what, const Log& log);

  AttachedSegment* segment_;
  shm::RingMetadata* metadata_;
  std::uint32_t index_;
  std::uint32_t generation_ = 0;
  bool announced_ = false;  // the stream's STREAM block is in this section
  bool restated_ = false;   // and in the front that was created last
  bool quarantined_ = false;
  std::uint32_t share_ = 0;
  std::uint64_t pos_ = 0;
  SpaceWake space_wake_;
  ContextKeeper context_;
  static constexpr std::uint64_t kNotWatched = UINT64_MAX;
  std::uint64_t watched_pos_ = kNotWatched;  // for which watched_ holds
  WatchedStream watched_;
  std::uint64_t passed_pos_ = 0;     // at the last take_passed_bytes()
  std::uint64_t journaled_pos_ = 0;  // that of the last journal entry
  std::uint64_t reported_pos_ = 0;   // that of the last written one
  std::uint64_t awaited_pos_ = 0;    // the last one in the file that it left; 0: that is written
  std::uint64_t held_pos_ = 0;       // written in the present file, while that one is awaited
  std::uint64_t last_fill_ = 0;
  std::uint64_t high_water_ = 0;  // highest fill of the stream
  trace::StreamCursor cursor_;
  RingCopy copy_;                    // for a ring that is overwritten: what is not encoded yet
  std::uint64_t drained_bytes_ = 0;  // of this stream, by this consumer
  std::uint64_t drained_records_ = 0;
};

}  // namespace ringside::consumer
