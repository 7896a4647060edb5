#pragma once
// Who changed what is collected from a segment, as the control page tells it.

#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "trace-format/blocks/collection_block.hpp"

namespace ringside::consumer {

// Texts and numbers come from other processes: they are labels.
class ChangeReader {
 public:
  // Continues after the changes that an earlier consumer has stated.
  explicit ChangeReader(AttachedSegment& segment);

  // Whether there are changes since the last stated() call.
  bool has_new() const;
  // Whether the service is changing its level now.
  bool is_changing() const;
  // The changes since then, by time; none is later than `now_tsc`. The caller holds
  // kSwitchLockByte. If more were made than the page remembers, one of unknown cause stands for the
  // older ones.
  std::vector<trace::CollectionChange> read(std::uint64_t now_tsc);
  // The trace states what read() returned.
  void stated();

 private:
  std::uint64_t tool_count() const;
  std::uint64_t service_count() const;

  AttachedSegment& segment_;
  std::uint64_t stated_tools_;
  std::uint64_t stated_service_;
  std::uint64_t read_tools_;
  std::uint64_t read_service_;
};

}  // namespace ringside::consumer
