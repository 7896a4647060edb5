#pragma once
// Looks at what is recorded in a ring that is overwritten, without taking anything out of it: the
// reader's side of shm-layout/overwrite_words.hpp, for triggers. What the producer overwrites
// before it was looked at is not seen.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "consumerd/ring_copy.hpp"

namespace ringside::consumer {

class RingGlance {
 public:
  // `from_now`: begins behind what the ring holds already, else with its oldest record.
  RingGlance(AttachedSegment& segment, std::uint32_t ring, bool from_now);

  // Whether the producer has published anything since.
  bool has_news() const {
    // Relaxed: take() reads it again with acquire before it looks at any byte.
    return metadata_->producer.producer_pos.load(std::memory_order_relaxed) != pos_;
  }

  // Copies up to about `most_bytes` of it into `*copy`: whole records of owner(), perhaps followed
  // by the beginning of one. False if there is nothing to look at.
  bool take(std::uint64_t most_bytes, std::vector<std::byte>* copy);

  // The first `bytes` of the copy were looked at: the next one begins behind them. Of an unsound
  // copy, the rest is passed over.
  void passed(std::uint64_t bytes, bool sound);

  const RingOwner& owner() const { return owner_; }
  // Not looked at, of what was published at the last take().
  std::uint64_t behind_bytes() const { return end_ - pos_; }
  // Overwritten before they were looked at, since the beginning.
  std::uint64_t missed_bytes() const { return missed_; }

 private:
  AttachedSegment* segment_;
  const shm::RingMetadata* metadata_;
  std::uint32_t ring_;
  std::uint64_t pos_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t missed_ = 0;
  RingOwner owner_;
};

}  // namespace ringside::consumer
