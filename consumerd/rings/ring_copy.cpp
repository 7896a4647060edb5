#include "consumerd/rings/ring_copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string_view>

namespace ringside::consumer {
namespace {

// A producer at full speed overwrites the ring in the time of a few copies.
constexpr int kCopyTries = 20;
// For all attempts except the last together: others wait during a copy.
constexpr std::uint64_t kMostRetriedBytes = std::uint64_t{64} << 20;
// Allowance for pages that were never touched, in a valid ring.
constexpr std::uint64_t kHolesBytes = std::uint64_t{1} << 20;

}  // namespace

RingOwner RingOwner::read(const shm::IdentityLine& identity) {
  RingOwner owner;
  // Pairs with the release at the claim; the owner's first producer_pos is stored after it.
  owner.generation = identity.generation.load(std::memory_order_acquire);
  owner.thread_id = identity.thread_id;
  owner.stream_id = identity.stream_id;
  owner.start_tsc = identity.start_tsc;
  std::memcpy(owner.thread_name, identity.thread_name, sizeof owner.thread_name);
  return owner;
}

trace::StreamBlock RingOwner::stream(std::uint32_t ring_index) const {
  trace::StreamBlock block;
  block.stream_id = stream_id;
  block.start_tsc = start_tsc;
  block.thread_id = thread_id;
  block.ring_index = ring_index;
  block.thread_name = std::string_view(thread_name, strnlen(thread_name, sizeof thread_name));
  return block;
}

RingCopy::Result RingCopy::take(AttachedSegment& segment, std::uint32_t ring, std::uint64_t from,
                                std::uint32_t generation) {
  clear();
  copied_bytes_ = 0;
  const std::uint64_t ring_bytes = segment.layout().ring_bytes;
  const std::byte* const memory = segment.ring_bytes(ring);
  if (memory == nullptr) return Result::kUnmapped;
  const shm::RingMetadata& metadata = segment.ring(ring);
  const shm::OverwriteWords& words = metadata.producer.oldest;
  const std::uint64_t most_bytes = std::min(ring_bytes, segment.backed_bytes() + kHolesBytes);
  // Before the words are read: any time between that and the end of the copy costs records.
  bytes_.resize(
      std::min(most_bytes, metadata.producer.producer_pos.load(std::memory_order_relaxed)));
  for (int i = 0; i < kCopyTries && copied_bytes_ <= kMostRetriedBytes; ++i) {
    // The letters are those of overwrite_words.hpp.
    const std::optional<shm::OldestRecords> before = shm::load_oldest(words);                  // a
    const std::uint64_t end = metadata.producer.producer_pos.load(std::memory_order_acquire);  // b
    if (!before) return Result::kUnsound;
    if (end - before->pos > ring_bytes) {
      // If the producer discarded more than one sub-buffer between the two loads, the words have
      // changed.
      if (shm::load_oldest(words) == before) return Result::kUnsound;
      continue;
    }
    owner_ = RingOwner::read(metadata.identity);
    // What a former owner left after `from` cannot be read any more.
    const bool same = owner_.generation == generation && from - before->pos <= end - before->pos;
    pos_ = same ? from : before->pos;
    if (end - pos_ > most_bytes) return Result::kUnsound;
    bytes_.resize(end - pos_);
    copied_bytes_ += bytes_.size();
    if (!bytes_.empty()) {
      std::memcpy(bytes_.data(), memory + (pos_ & (ring_bytes - 1)), bytes_.size());  // c
    }
    std::atomic_thread_fence(std::memory_order_acquire);                      // d
    const std::optional<shm::OldestRecords> after = shm::load_oldest(words);  // e
    if (!after) return Result::kUnsound;
    oldest_ = *after;
    if (after->pos <= pos_) return Result::kTaken;
    if (after->pos - pos_ < bytes_.size()) {
      drop_front(after->pos - pos_);
      return Result::kTaken;
    }
    if (end == pos_) return Result::kTaken;  // nothing was published, even if the owner has changed
  }
  clear();
  return Result::kOutpaced;
}

void RingCopy::drop_front(std::uint64_t bytes) {
  const std::uint64_t dropped = std::min<std::uint64_t>(bytes, bytes_.size() - used_);
  used_ += dropped;
  pos_ += dropped;
}

void RingCopy::clear() {
  bytes_ = {};
  used_ = 0;
}

}  // namespace ringside::consumer
