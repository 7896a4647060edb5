#pragma once
// Reads the records in a ring that is overwritten, without consuming them: the reader's side of
// shm-layout/overwrite_words.hpp, for triggers. Records that the producer overwrites before they
// are read are not seen.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/rings/ring_copy.hpp"
#include "consumerd/rings/watched_stream.hpp"

namespace ringside::consumer {

class RingPeek {
 public:
  // `from_now`: skips what the ring already holds; otherwise begins with its oldest record.
  RingPeek(AttachedSegment& segment, std::uint32_t ring, bool from_now);

  // Whether the producer has published anything since the last take().
  bool has_news() const {
    // Relaxed: take() reads it again with acquire before it reads any byte.
    return metadata_->producer.producer_pos.load(std::memory_order_relaxed) != pos_;
  }

  // Copies up to about `most_bytes` of it into `*copy`: whole records of owner(), possibly followed
  // by the beginning of another. False if there is nothing to read.
  bool take(std::uint64_t most_bytes, std::vector<std::byte>* copy);

  // The first `bytes` of the copy were checked: the next copy begins after them. If the copy is
  // invalid, its rest is skipped.
  void passed(std::uint64_t bytes, bool sound);

  const RingOwner& owner() const { return owner_; }
  // What holds for the next record, for the caller to keep; nothing is known at first. What begins
  // with the oldest record, or with a new owner's first one, begins with a clock record, and with
  // that of its context if it has one.
  WatchedStream& stream() { return stream_; }
  // Bytes published at the last take() and not checked yet.
  std::uint64_t unread_bytes() const { return end_ - pos_; }
  // Bytes overwritten before they were checked, in total.
  std::uint64_t missed_bytes() const { return missed_; }

 private:
  AttachedSegment* segment_;
  const shm::RingMetadata* metadata_;
  std::uint32_t ring_;
  std::uint64_t pos_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t missed_ = 0;
  RingOwner owner_;
  WatchedStream stream_;
};

}  // namespace ringside::consumer
