#pragma once
// Takes published records out of one ring: copy, encode, commit to staging, release the space.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/dictionary_feed.hpp"
#include "consumerd/log.hpp"
#include "consumerd/trace_file.hpp"
#include "trace-format/extent_encoder.hpp"

namespace ringside::consumer {

// Why a ring was given up. Stored in the ring's consumer line.
enum class Quarantine : std::uint32_t {
  kNone = 0,
  kPosition = 1,    // producer_pos outside of the ring
  kRecord = 2,      // bytes that are no record
  kDictionary = 3,  // a record of a site behind the damaged part of the dictionary
  kMapping = 4,     // the ring's memory cannot be mapped
  kTruncated = 5,   // the segment's file was cut short
};

struct DrainCounts {
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  std::uint64_t ring_bytes = 0;
  std::uint64_t file_bytes = 0;
};

class RingDrain {
 public:
  enum class Result { kDone, kNoSpace };

  RingDrain(AttachedSegment& segment, std::uint32_t index);

  // Cheap: whether the producer has published anything that is not consumed yet.
  bool has_data() const {
    // Relaxed: drain() reads it again with acquire before it looks at any byte.
    return !quarantined_ &&
           metadata_->producer.producer_pos.load(std::memory_order_relaxed) != pos_;
  }

  // Everything that is published when it is called. kNoSpace if staging is full before that.
  Result drain(TraceFile& file, DictionaryFeed& dictionary, trace::ExtentEncoder& encoder,
               std::vector<std::byte>& scratch, std::uint64_t watermark_tsc, DrainCounts* counts,
               const Log& log);

  // Losses after the last record of a stream that has ended: no record tells of them.
  // `service_ended`: also of streams that never retired.
  Result book_final_drops(TraceFile& file, trace::ExtentEncoder& encoder,
                          std::uint64_t watermark_tsc, bool service_ended, DrainCounts* counts);

  // Appends the STREAM block of a stream that is under way to the front of a new section.
  void restate_stream(std::vector<std::byte>* front);
  // That section is the present one.
  void enter_restated_section() { announced_ = restated_; }

  // The journal entry's bytes are in the trace file.
  void written(const shm::JournalEntry& entry);

  bool quarantined() const { return quarantined_; }
  const trace::StreamCursor& cursor() const { return cursor_; }
  std::uint64_t fill_bytes() const { return last_fill_; }  // found by the last drain

 private:
  bool enter_stream(TraceFile& file);
  void adopt_generation(std::uint32_t generation);
  Result drain_batch(TraceFile& file, const DictionaryFeed& dictionary,
                     trace::ExtentEncoder& encoder, std::vector<std::byte>& scratch,
                     std::uint64_t end, std::uint64_t watermark_tsc, DrainCounts* counts,
                     const Log& log);
  void accept(TraceFile& file, const trace::EncodeResult& result, std::uint64_t consumed,
              DrainCounts* counts);
  void publish();
  void quarantine(Quarantine reason, const std::string& what, const Log& log);

  AttachedSegment* segment_;
  shm::RingMetadata* metadata_;
  std::uint32_t index_;
  std::uint32_t generation_ = 0;
  bool announced_ = false;  // the stream's STREAM block is in this section
  bool restated_ = false;   // and in the front that was made last
  bool quarantined_ = false;
  std::uint64_t pos_ = 0;
  std::uint64_t last_fill_ = 0;
  trace::StreamCursor cursor_;
};

}  // namespace ringside::consumer
