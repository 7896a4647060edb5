#pragma once
// How often truncated segments may be replaced.
//
// Each replacement costs the service memory that it never gets back (segment_succession.hpp), so a
// process that truncates every new segment must not decide how many there are.

#include <cstdint>

namespace ringside {

inline constexpr std::uint64_t kReplacementsPerHour = 16;

// The lock is held for all functions.

// When the next truncated segment may be replaced, by CLOCK_MONOTONIC; in the past: now.
std::uint64_t next_replacement_ns();
// A truncated segment has been replaced.
void count_replacement(std::uint64_t now_ns);
// In the child of a fork.
void forget_replacements();

}  // namespace ringside
