#pragma once
// The words of a segment that decide what is collected, and what they mean together.

#include <array>
#include <cstdint>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "shm-layout/switch_change.hpp"
#include "trace-format/blocks/collection_block.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer {

class CollectedWords {
 public:
  explicit CollectedWords(AttachedSegment& segment) : segment_(segment) {}

  // Whether a word differs from the last read().
  bool have_changed() const;
  // Reads all of them, once.
  void read();
  // The state at `now_tsc` of the words as they were read: a time limit that is over has had its
  // effect, whether or not a log call has stored it.
  trace::CollectionState state(const trace::SiteTable& sites, std::uint64_t now_tsc) const;

 private:
  std::size_t switch_count() const;
  std::uint8_t present_switch(std::size_t id) const;

  AttachedSegment& segment_;
  std::uint32_t level_ = 0;
  std::uint32_t policy_ = 0;
  std::uint32_t block_timeout_ms_ = 0;
  shm::DeadlineCopy deadlines_{};
  std::vector<std::uint8_t> switches_;  // by site id
};

// The earliest time limit in `state`, UINT64_MAX if it has none.
std::uint64_t next_deadline(const trace::CollectionState& state);
// Reverts what is over at `now_tsc`, and returns these time limits, in order.
std::vector<std::uint64_t> expire(trace::CollectionState& state, const trace::SiteTable& sites,
                                  std::uint64_t now_tsc);

}  // namespace ringside::consumer
