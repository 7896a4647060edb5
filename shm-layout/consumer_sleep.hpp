#pragma once
// How a consumer sleeps while nothing moves, and how the service wakes it. README.md, "A sleeping
// consumer", has the protocol and why no wake-up is lost.

#include <atomic>
#include <cstdint>

#include "segment_header.hpp"

namespace ringside::shm {

// Written by the consumer.
struct alignas(kCacheLineBytes) ConsumerSleep {
  // Odd while it sleeps, and one more with each change: it never has a value twice, also not under
  // another consumer. Release before the consumer's last check of the rings; paired with the
  // acquire of a thread of the service that has published records.
  std::atomic<std::uint32_t> number;
  std::uint32_t reserved[15];
};

constexpr bool is_asleep(std::uint32_t number) {
  return (number & 1U) != 0;
}

// A thread wakes the consumer when one in this many parts of its ring is unread. A longer burst
// has the other parts while the consumer wakes up.
inline constexpr std::uint32_t kWakeUpParts = 4;

// Written by the service.
struct alignas(kCacheLineBytes) WakeUps {
  // The futex word: +1 before each FUTEX_WAKE.
  std::atomic<std::uint32_t> calls;
  // kWakeUpParts. 0: a library before 1.8, which wakes no consumer.
  std::atomic<std::uint32_t> parts;
  // Rings whose threads make no system call. While there are any, the consumer must not sleep.
  // Release before the thread's next record; paired with the consumer's acquire before it sleeps.
  std::atomic<std::uint32_t> silent_rings;
  std::uint32_t reserved[13];
};

static_assert(sizeof(ConsumerSleep) == kCacheLineBytes);
static_assert(sizeof(WakeUps) == kCacheLineBytes);

}  // namespace ringside::shm
