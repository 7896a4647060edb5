#pragma once
// The sections of one segment's trace: the front of the first one, and the change to a new file,
// whose section continues where the present one is.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/drain/collection_reporter.hpp"
#include "consumerd/drain/dictionary_feed.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/rules/record_pass.hpp"
#include "consumerd/session/ring_shares.hpp"
#include "consumerd/session/segment_clock.hpp"
#include "consumerd/session/segment_rings.hpp"
#include "consumerd/session/segment_rotation.hpp"
#include "consumerd/session/sequence_points.hpp"
#include "consumerd/session/snapshot_reader.hpp"
#include "consumerd/write/trace_file.hpp"

namespace ringside::consumer {

class SegmentSections {
 public:
  // Everything on which the first record of a section depends. All must outlive the sections.
  struct Parts {
    AttachedSegment& segment;
    TraceFile& file;
    DictionaryFeed& dictionary;
    SegmentClock& clock;
    CollectionReporter& collection;
    SegmentRotation& rotation;
    SequencePoints& points;
    SnapshotReader& snapshots;
    SegmentRings& rings;
    RingShares& shares;
    const DrainCounts& counts;
    const Log& log;
  };
  explicit SegmentSections(const Parts& parts) : parts_(parts) {}

  // Whether the first section's front is in the file.
  bool has_begun() const { return has_begun_; }
  // Appends it unless it is there. False if staging is full.
  bool begin();
  // All rings belong to share 0 in the new file. False if that cannot be created: the present ones
  // are not ended, and the trace continues in them. `pass`: of the rules in force, or null.
  bool change_file(const RecordPass* pass);
  // Gives some rings to other shares, with files of their own, if one thread is too slow for all.
  void spread(const RecordPass* pass);
  // Where the next consumer continues.
  void publish_file_sequence() { publish_next(parts_.file.sequence() + 1); }

 private:
  std::vector<std::byte> front(std::uint32_t sequence, const RecordPass* pass, bool has_streams);
  void publish_next(std::uint32_t sequence);

  Parts parts_;
  bool has_begun_ = false;
};

}  // namespace ringside::consumer
