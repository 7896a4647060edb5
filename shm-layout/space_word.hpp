#pragma once
// How a thread with a full ring sleeps until the consumer has freed space. README.md, "A thread
// that waits for space", has the protocol and why no wake-up is lost.

#include <cstdint>

namespace ringside::shm {

// Values of IdentityLine::space_word, a futex word: odd while the ring's thread waits, and one more
// with each change, so that a wait never has the number of an earlier one.
constexpr bool waits_for_space(std::uint32_t word) {
  return (word & 1U) != 0;
}

// The consumer looks for a thread that waits each time it has read one in this many parts of the
// ring.
inline constexpr std::uint32_t kSpaceChecks = 4;
// It wakes the thread when at most one in this many parts is unread: then the thread's next wait is
// far, and the consumer has work while the thread wakes up.
inline constexpr std::uint32_t kSpaceParts = 2;

}  // namespace ringside::shm
