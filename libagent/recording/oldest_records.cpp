#include "libagent/recording/oldest_records.hpp"

#include <span>

#include "libagent/recording/record_walk.hpp"
#include "shm-layout/overwrite_words.hpp"

namespace ringside {
namespace {

thread_local shm::OldestRecords t_oldest;
// Set while the words are being changed or computed: a handler that logs during that time uses the
// available space, and does not change them.
thread_local bool t_giving_up = false;

// The shared words first: records may be written at once according to the private position.
void store(shm::RingMetadata& ring, const shm::OldestRecords& oldest) {
  shm::store_oldest(ring.producer.oldest, oldest);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_oldest.sequence = oldest.sequence;
  t_oldest.drops = oldest.drops;
  __atomic_store_n(&t_oldest.pos, oldest.pos, __ATOMIC_RELAXED);
}

std::span<const std::byte> between(const Segment& segment, const std::byte* base,
                                   std::uint64_t from, std::uint64_t to) {
  return {base + (from & (segment.layout.ring_bytes - 1)), to - from};
}

}  // namespace

void give_up_all_records(shm::RingMetadata& ring, std::uint64_t pos) {
  store(ring, {pos, 0, 0});
}

std::uint64_t oldest_pos() {
  return __atomic_load_n(&t_oldest.pos, __ATOMIC_RELAXED);
}

GiveUp give_up_oldest(const Segment& segment, shm::RingMetadata& ring, const std::byte* base) {
  if (t_giving_up) return GiveUp::refused;
  t_giving_up = true;
  // From here no handler changes t_oldest. Bytes after `published` are not written yet.
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const std::uint64_t published = __atomic_load_n(&rs_thread_state.published, __ATOMIC_RELAXED);
  GiveUp result = GiveUp::refused;
  if (published - t_oldest.pos <= segment.layout.ring_bytes) {
    const WalkedRecords walked =
        walk_sub_buffer(between(segment, base, t_oldest.pos, published), *segment.shapes);
    if (walked.at_clock) {
      store(ring, {t_oldest.pos + walked.bytes, t_oldest.sequence + walked.numbers,
                   t_oldest.drops + walked.drops});
      result = GiveUp::done;
    } else if (!walked.sound) {
      result = GiveUp::unsound;
    }
  }
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_giving_up = false;
  return result;
}

void give_up_uncounted(shm::RingMetadata& ring, std::uint64_t pos) {
  if (t_giving_up) return;
  t_giving_up = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  store(ring, {pos, t_oldest.sequence, t_oldest.drops});
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  t_giving_up = false;
}

void forget_interrupted_give_up() {
  t_giving_up = false;
}

std::uint64_t numbers_used(const Segment& segment, const shm::RingMetadata& ring,
                           const std::byte* base) {
  const auto oldest = shm::load_oldest(ring.producer.oldest);
  const std::uint64_t end = ring.producer.producer_pos.load(std::memory_order_relaxed);
  if (!oldest || end - oldest->pos > segment.layout.ring_bytes) return 0;
  std::uint64_t numbers = oldest->sequence;
  for (std::uint64_t pos = oldest->pos; pos != end;) {
    const WalkedRecords walked = walk_sub_buffer(between(segment, base, pos, end), *segment.shapes);
    numbers += walked.numbers;
    pos += walked.bytes;
    if (!walked.sound || walked.bytes == 0) break;
  }
  return numbers;
}

}  // namespace ringside
