#pragma once
// What the system knew about the error of its own clock, as CLOCK blocks state it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace ringside::trace {

enum class SyncState : std::uint32_t {
  kUnknown = 0,  // not stated, or the system does not tell
  kSynchronised = 1,
  kUnsynchronised = 2,
};

struct ClockSync {
  SyncState state = SyncState::kUnknown;
  std::int64_t offset_ns = 0;  // still to be added to the system's clock
  std::uint64_t max_error_ns = 0;
  std::uint64_t estimated_error_ns = 0;

  // `payload`: of a CLOCK block, which need not have it.
  static ClockSync parse(std::span<const std::byte> payload);
  // Into a payload of kClockSyncEnd bytes.
  void store(std::byte* payload) const;

  bool operator==(const ClockSync&) const = default;
};

// An error that nothing states. It is larger than each that is stated.
inline constexpr std::uint64_t kUnknownClockError = std::numeric_limits<std::uint64_t>::max();

}  // namespace ringside::trace
