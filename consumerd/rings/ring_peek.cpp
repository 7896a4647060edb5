#include "consumerd/rings/ring_peek.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "shm-layout/overwrite_words.hpp"
#include "shm-layout/ring_metadata.hpp"

namespace ringside::consumer {

RingPeek::RingPeek(AttachedSegment& segment, std::uint32_t ring, bool from_now)
    : segment_(&segment), metadata_(&segment.ring(ring)), ring_(ring) {
  // A published position is the beginning of a record.
  if (from_now) pos_ = metadata_->producer.producer_pos.load(std::memory_order_acquire);
  end_ = pos_;
}

bool RingPeek::take(std::uint64_t most_bytes, std::vector<std::byte>* copy) {
  copy->clear();
  const std::byte* const memory = segment_->ring_bytes(ring_);
  if (memory == nullptr) return false;
  const std::uint64_t ring_bytes = segment_->layout().ring_bytes;
  const shm::OverwriteWords& words = metadata_->producer.oldest;
  // The letters are those of overwrite_words.hpp.
  const std::optional<shm::OldestRecords> before = shm::load_oldest(words);                    // a
  const std::uint64_t end = metadata_->producer.producer_pos.load(std::memory_order_acquire);  // b
  // Snapshots report an invalid ring.
  if (!before || end - before->pos > ring_bytes) return false;
  end_ = end;
  if (pos_ - before->pos > end - before->pos) {
    // If the position went back, nothing was missed.
    if (static_cast<std::int64_t>(before->pos - pos_) > 0) missed_ += before->pos - pos_;
    pos_ = before->pos;
    stream_.context.begin({});
  }
  const std::uint32_t generation = owner_.generation;
  owner_ = RingOwner::read(metadata_->identity);
  if (owner_.generation != generation) stream_.context.begin({});
  copy->resize(std::min(end - pos_, most_bytes));
  if (copy->empty()) return false;
  std::memcpy(copy->data(), memory + (pos_ & (ring_bytes - 1)), copy->size());  // c
  std::atomic_thread_fence(std::memory_order_acquire);                          // d
  const std::optional<shm::OldestRecords> after = shm::load_oldest(words);      // e
  // Outpaced: the next take() begins with the oldest record at that time.
  if (!after || after->pos - before->pos > pos_ - before->pos) copy->clear();
  return !copy->empty() && !segment_->truncated();
}

void RingPeek::passed(std::uint64_t bytes, bool sound) {
  pos_ = sound ? pos_ + bytes : end_;
  if (!sound) stream_.context.begin({});
}

}  // namespace ringside::consumer
