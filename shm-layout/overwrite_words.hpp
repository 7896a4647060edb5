#pragma once
// The position of the oldest records of a ring that is overwritten (policy `overwrite`, flight
// recorder).
//
//    oldest pos                                        producer_pos
//   --|S|-----------|S|-----------|S|-----------|S|=====|---------
//     | sub-buffer  | sub-buffer  | sub-buffer  | present one
//
// A sub-buffer begins with a clock record (S) and ends where the next one begins. The producer
// discards the oldest one, and counts its records, before it overwrites its bytes:
//
//   producer                                      reader
//   1 slot (version + 1) % 2: pos and numbers     a version, its slot, fence, the same version
//   2 version + 1 (release)                       b end = producer_pos (acquire)
//   3 fence (release)                             c copies [pos, end) and the owner's identity
//   4 records over the bytes before pos,          d fence (acquire)
//     another owner, slot version % 2             e as a: bytes copied before this pos are void
//
// 2 pairs with the acquire in a. 3 pairs with the fence in a, for a reader that read words of the
// next change, and with d: a reader that copied a byte of step 4 reads in e a pos that is after
// that byte. So everything that a reader keeps was complete when it was copied. So is the slot in
// force if the producer is killed at any of the steps. A new owner first discards everything of the
// previous owner: the copy of a reader that read bytes of two owners is void.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ringside::shm {

inline constexpr std::uint32_t kSubBuffersPerRing = 32;

struct OverwriteSlot {
  std::atomic<std::uint64_t> pos;       // of the oldest sub-buffer
  std::atomic<std::uint64_t> sequence;  // of the first record there, counted per thread from 0
  std::atomic<std::uint64_t> drops;     // part of `sequence` reported by drop records before it
};

struct OverwriteWords {
  std::atomic<std::uint64_t> version;  // counts the changes; slot version % 2 is in force
  OverwriteSlot slot[2];
};

static_assert(offsetof(OverwriteSlot, pos) == 0);
static_assert(offsetof(OverwriteSlot, sequence) == 8);
static_assert(offsetof(OverwriteSlot, drops) == 16);
static_assert(sizeof(OverwriteSlot) == 24);
static_assert(offsetof(OverwriteWords, version) == 0);
static_assert(offsetof(OverwriteWords, slot) == 8);
static_assert(sizeof(OverwriteWords) == 56);

// The words of one slot.
struct OldestRecords {
  std::uint64_t pos = 0;
  std::uint64_t sequence = 0;
  std::uint64_t drops = 0;

  bool operator==(const OldestRecords&) const = default;
};

// Steps 1 to 3, by the owner of the ring only.
inline void store_oldest(OverwriteWords& words, const OldestRecords& oldest) {
  const std::uint64_t next = words.version.load(std::memory_order_relaxed) + 1;
  OverwriteSlot& slot = words.slot[next % 2];
  slot.pos.store(oldest.pos, std::memory_order_relaxed);
  slot.sequence.store(oldest.sequence, std::memory_order_relaxed);
  slot.drops.store(oldest.drops, std::memory_order_relaxed);
  words.version.store(next, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_release);
}

// Steps a and, after the fence of d, e. Empty if the words change during every attempt: a producer
// does not discard sub-buffers that fast, so something else is writing there.
inline std::optional<OldestRecords> load_oldest(const OverwriteWords& words) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t version = words.version.load(std::memory_order_acquire);
    const OverwriteSlot& slot = words.slot[version % 2];
    const OldestRecords oldest{slot.pos.load(std::memory_order_relaxed),
                               slot.sequence.load(std::memory_order_relaxed),
                               slot.drops.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (words.version.load(std::memory_order_relaxed) == version) return oldest;
  }
  return {};
}

}  // namespace ringside::shm
