#pragma once
// A private copy of what a ring holds that is overwritten while it is read: the reader's side of
// shm-layout/overwrite_words.hpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consumerd/attached_segment.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {

// Who owns a ring, copied.
struct RingOwner {
  std::uint32_t generation = 0;
  std::uint32_t thread_id = 0;
  std::uint64_t stream_id = 0;
  std::uint64_t start_tsc = 0;
  char thread_name[sizeof shm::IdentityLine::thread_name] = {};

  // Sound if the owner cannot have changed meanwhile, which the caller finds out.
  static RingOwner read(const shm::IdentityLine& identity);
  // Refers to this object.
  trace::StreamBlock stream(std::uint32_t ring_index) const;
};

class RingCopy {
 public:
  enum class Result {
    kTaken,     // whole records of one owner, perhaps none
    kOutpaced,  // the producer has overwritten everything while it was copied, time and again
    kUnsound,   // impossible positions, or more bytes than the segment has memory for
    kUnmapped,
  };

  // Copies what is published from `from` on, as far as it is whole; all of it if the owner is not
  // that of `generation` any more.
  Result take(AttachedSegment& segment, std::uint32_t ring, std::uint64_t from,
              std::uint32_t generation);

  const RingOwner& owner() const { return owner_; }
  const shm::OldestRecords& oldest() const { return oldest_; }
  // By the last take(), all its tries.
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  std::uint64_t pos() const { return pos_; }  // of the first byte that is left
  bool empty() const { return left().empty(); }
  std::span<const std::byte> left() const { return std::span(bytes_).subspan(used_); }
  void drop_front(std::uint64_t bytes);
  // Forgets what is left, and gives the memory back.
  void clear();

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
  std::uint64_t pos_ = 0;
  std::uint64_t copied_bytes_ = 0;
  shm::OldestRecords oldest_;  // as the last look found them: of records that are in the copy
  RingOwner owner_;
};

}  // namespace ringside::consumer
