#include "tools/live/ring_snapshot.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace ringside::tool {
namespace {

// A running service changes the words continuously.
constexpr int kMaxReadings = 1000;

// Two equal copies: no change happened in between.
RingWords still_words(const SegmentImage& image, std::uint32_t ring) {
  RingWords words = image.ring_words(ring);
  for (int i = 0; i < kMaxReadings; ++i) {
    const RingWords before = std::exchange(words, image.ring_words(ring));
    // The consumer's words change together too, when it takes a snapshot.
    if (words.oldest == before.oldest && words.consumer_pos == before.consumer_pos &&
        words.next_sequence == before.next_sequence)
      break;
  }
  return words;
}

}  // namespace

RingSnapshot drained_ring(SegmentImage& image, std::uint32_t ring) {
  RingSnapshot shot;
  const RingWords first = image.ring_words(ring);
  const std::uint64_t end = first.producer_pos;
  shot.bytes = image.ring_bytes(ring, first.consumer_pos, end - first.consumer_pos);
  shot.words = image.ring_words(ring);
  for (int i = 0; i < kMaxReadings; ++i) {
    const RingWords again = image.ring_words(ring);
    const bool still = again.consumer_pos == shot.words.consumer_pos &&
                       again.next_sequence == shot.words.next_sequence &&
                       again.consumer_generation == shot.words.consumer_generation;
    shot.words = again;
    if (still) break;
  }
  const std::uint64_t released =
      std::min<std::uint64_t>(shot.words.consumer_pos - first.consumer_pos, shot.bytes.size());
  shot.bytes.erase(shot.bytes.begin(), shot.bytes.begin() + static_cast<std::ptrdiff_t>(released));
  shot.words.producer_pos = std::max(end, shot.words.consumer_pos);
  shot.expected_bytes = shot.words.producer_pos - shot.words.consumer_pos;
  if (shot.words.generation != first.generation) {
    // The ring was drained and claimed by another thread in between: that thread has just begun.
    shot.bytes.clear();
    shot.expected_bytes = 0;
  }
  return shot;
}

RingSnapshot overwritten_ring(SegmentImage& image, std::uint32_t ring) {
  for (int i = 0;; ++i) {
    RingSnapshot shot;
    const RingWords first = still_words(image, ring);  // a, b
    std::uint64_t from = first.oldest.pos;
    const std::uint64_t end = std::min(first.producer_pos, from + image.layout().ring_bytes);
    shot.bytes = image.ring_bytes(ring, from, end - from);  // c
    shot.words = still_words(image, ring);                  // e; system calls order the reads
    const std::uint64_t gone = shot.words.oldest.pos - from;
    if (gone > 0 && gone >= shot.bytes.size() && end != from && i < kMaxReadings / 100) continue;
    const std::span<const std::byte> copied(shot.bytes);
    const auto whole = copied.subspan(std::min<std::uint64_t>(gone, copied.size()));
    shot.bytes = std::vector<std::byte>(whole.begin(), whole.end());
    from += gone;
    shot.words.producer_pos = std::max(end, from);
    shot.expected_bytes = shot.words.producer_pos - from;
    return shot;
  }
}

void add_nested(SegmentImage& image, std::uint32_t ring, RingSnapshot& shot) {
  const std::uint64_t end = shot.words.producer_pos;
  if (shot.bytes.size() != shot.expected_bytes) return;
  const shm::NestedRest rest = shm::nested_rest(
      image.nested(ring), end, end - shot.expected_bytes + image.layout().ring_bytes);
  std::vector<std::byte> bytes = image.ring_bytes(ring, end, rest.end - end);
  if (bytes.size() != rest.end - end) return;
  for (std::size_t i = 0; i < rest.gap_count; ++i) {
    const std::uint64_t head = shm::gap_head(rest.gaps[i]);
    std::memcpy(&bytes[rest.gaps[i].begin - end], &head, sizeof head);
  }
  shot.bytes.insert(shot.bytes.end(), bytes.begin(), bytes.end());
  shot.expected_bytes = shot.bytes.size();
  shot.words.producer_pos = rest.end;
}

bool drop_taken(RingSnapshot& shot) {
  const RingWords& words = shot.words;
  const std::uint64_t begin = words.producer_pos - shot.expected_bytes;
  if (words.consumer_generation != words.generation || words.consumer_pos < begin ||
      words.consumer_pos - begin > shot.bytes.size())
    return false;
  const std::uint64_t taken = words.consumer_pos - begin;
  shot.bytes.erase(shot.bytes.begin(), shot.bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  shot.expected_bytes -= taken;
  return true;
}

}  // namespace ringside::tool
