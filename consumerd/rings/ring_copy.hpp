#pragma once
// A private copy of the contents of a ring that is overwritten during reading: the reader's side of
// shm-layout/overwrite_words.hpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/discover/attached_segment.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {

// The owner of a ring, copied.
struct RingOwner {
  std::uint32_t generation = 0;
  std::uint32_t thread_id = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t start_tsc = 0;
  char thread_name[sizeof shm::IdentityLine::thread_name] = {};

  // Valid only if the owner did not change during the read, which the caller must check.
  static RingOwner read(const shm::IdentityLine& identity);
  // The result refers to this object.
  trace::StreamBlock stream(std::uint32_t ring_index) const;
};

class RingCopy {
 public:
  enum class Result {
    kTaken,     // whole records of one owner, possibly none
    kOutpaced,  // the producer repeatedly overwrote everything during the copy
    kUnsound,   // impossible positions, or more bytes than the segment has memory for
    kUnmapped,
  };

  // Copies the whole records that are published after `from`; all of them if the owner's generation
  // is no longer `generation`.
  Result take(AttachedSegment& segment, std::uint32_t ring, std::uint64_t from,
              std::uint32_t generation);

  const RingOwner& owner() const { return owner_; }
  const shm::OldestRecords& oldest() const { return oldest_; }
  // Bytes copied by the last take(), all attempts together.
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  std::uint64_t pos() const { return pos_; }  // position of the first byte left
  bool empty() const { return left().empty(); }
  std::span<const std::byte> left() const { return std::span(bytes_).subspan(used_); }
  void drop_front(std::uint64_t bytes);
  // Discards the rest of the copy, and frees the memory.
  void clear();

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::uint64_t pos_ = 0;
  std::uint64_t copied_bytes_ = 0;
  shm::OldestRecords oldest_;  // from the last look: of the records in the copy
  RingOwner owner_;
};

}  // namespace ringside::consumer
