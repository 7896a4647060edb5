#pragma once
// Why records are lost: one list of names and numbers for shared memory, trace files and tools.

#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::shm {

// Numbers are stored in trace files and never given a second meaning.
enum class LossCause : std::uint32_t {
  kUnknown = 0,
  kRingFull = 1,        // a live consumer was too slow
  kNoConsumer = 2,      // the ring was full and no consumer has moved since
  kSeveral = 3,         // of the two above, unknown how many of which (writers before 1.1)
  kMissing = 4,         // not lost by the service: the files at hand lack them
  kNoRing = 5,          // more threads than rings
  kNoSharedMemory = 6,  // the shared-memory file system refused a segment, ring or dictionary
  kDictionaryFull = 7,  // the statement could not be registered: too many, too large, unreadable
  kQuarantined = 8,     // the consumer gave the ring up
  kOverwritten = 9,     // given up for younger ones, as the policy overwrite wants
  // The record is there, but not whole or not in its place: no loss of a record.
  kTooLarge = 10,  // its strings were cut
  kLate = 11,      // delivered behind younger ones
  // Left out by a rule of the consumer: not lost either, but not there.
  kSampled = 12,
};

// Those that shared memory counts, in the order of the counters of SiteLosses.
inline constexpr std::array<LossCause, 8> kCountedCauses{
    LossCause::kRingFull,       LossCause::kNoConsumer,     LossCause::kNoRing,
    LossCause::kNoSharedMemory, LossCause::kDictionaryFull, LossCause::kQuarantined,
    LossCause::kOverwritten,    LossCause::kTooLarge,
};

// The place of `cause` in kCountedCauses; kCountedCauses.size() if it is not counted.
constexpr std::size_t counter_of(LossCause cause) {
  for (std::size_t i = 0; i < kCountedCauses.size(); ++i) {
    if (kCountedCauses[i] == cause) return i;
  }
  return kCountedCauses.size();
}

// Whether a trace tells of it by statement: all that is counted, and what the consumer leaves out.
constexpr bool is_told_by_site(LossCause cause) {
  return counter_of(cause) < kCountedCauses.size() || cause == LossCause::kSampled;
}

// Whether records counted under it are missed, rather than cut, displaced or not wanted.
constexpr bool is_lost(LossCause cause) {
  return cause != LossCause::kTooLarge && cause != LossCause::kLate && cause != LossCause::kSampled;
}

}  // namespace ringside::shm
