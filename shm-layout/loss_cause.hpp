#pragma once
// The causes of lost records: one list of names and numbers for shared memory, trace files and
// tools.

#include "required_platform.hpp"
// Before all others.
#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::shm {

// Numbers are stored in trace files and never reused.
enum class LossCause : std::uint32_t {
  kUnknown = 0,
  kRingFull = 1,        // a live consumer was too slow
  kNoConsumer = 2,      // the ring was full and no consumer has moved since
  kSeveral = 3,         // kRingFull or kNoConsumer, in unknown shares (writers before 1.1)
  kMissing = 4,         // not lost by the service: missing from the available files
  kNoRing = 5,          // more threads than rings
  kNoSharedMemory = 6,  // the shared-memory file system refused a segment, ring or dictionary
  kDictionaryFull = 7,  // the statement could not be registered: too many, too large, unreadable
  kQuarantined = 8,     // the consumer quarantined the ring
  kOverwritten = 9,     // discarded for newer records under the policy overwrite
  // Not losses: the record exists, but is not complete or not in its place.
  kTooLarge = 10,  // its strings were cut
  kLate = 11,      // delivered after newer ones
  // Suppressed by a rule of the consumer: not lost, but not in the trace.
  kSampled = 12,
  // A signal handler that interrupted the log call never returned to it (siglongjmp).
  kAbandoned = 13,
  // Removed by the consumer's retention before they were shipped from the host.
  kUnshipped = 14,
  // Left out by the selection of a shipper (tools/fleet/README.md): not lost, but not in this
  // trace.
  kNotSelected = 15,
};

inline constexpr LossCause kLastLossCause = LossCause::kNotSelected;

// The causes that shared memory counts.
inline constexpr std::array<LossCause, 9> kCountedCauses{
    LossCause::kRingFull,       LossCause::kNoConsumer,     LossCause::kNoRing,
    LossCause::kNoSharedMemory, LossCause::kDictionaryFull, LossCause::kQuarantined,
    LossCause::kOverwritten,    LossCause::kTooLarge,       LossCause::kAbandoned,
};

// The causes that a ring counts. Since 1.1 a drop record reports one cause; several causes need
// several drop records. Readers also accept kSeveral, and kOverwritten, which the consumer reports
// without a drop record in the ring.
inline constexpr std::array<LossCause, 4> kDropCauses{
    LossCause::kRingFull, LossCause::kNoConsumer, LossCause::kQuarantined, LossCause::kAbandoned};

// The causes of SiteLosses, in the order of its counters. Before 1.3 the counter of kAbandoned was
// always 0.
inline constexpr std::array<LossCause, 8> kSiteCauses{
    LossCause::kRingFull,       LossCause::kNoConsumer,     LossCause::kNoRing,
    LossCause::kNoSharedMemory, LossCause::kDictionaryFull, LossCause::kQuarantined,
    LossCause::kAbandoned,      LossCause::kTooLarge,
};

template <std::size_t N>
constexpr std::size_t place_of(LossCause cause, const std::array<LossCause, N>& causes) {
  for (std::size_t i = 0; i < N; ++i) {
    if (causes[i] == cause) return i;
  }
  return N;
}

// The place of `cause` in kCountedCauses; kCountedCauses.size() if it is not counted.
constexpr std::size_t counter_of(LossCause cause) {
  return place_of(cause, kCountedCauses);
}

// The same in kSiteCauses.
constexpr std::size_t site_counter_of(LossCause cause) {
  return place_of(cause, kSiteCauses);
}

// Whether traces report it by statement: all counted causes, and what the consumer suppresses.
constexpr bool is_told_by_site(LossCause cause) {
  return counter_of(cause) < kCountedCauses.size() || cause == LossCause::kSampled;
}

// Whether records counted under it are lost, rather than cut, displaced, suppressed or left out.
constexpr bool is_lost(LossCause cause) {
  return cause != LossCause::kTooLarge && cause != LossCause::kLate &&
         cause != LossCause::kSampled && cause != LossCause::kNotSelected;
}

}  // namespace ringside::shm
