#pragma once
// One byte per site, indexed by site id: the first byte that a log call checks.
//
// A switch can change by itself at a deadline, even if tool and consumer are gone by then:
//
//   bit  7   6 5 4   3 2     1 0
//        1   slot    after   meanwhile
//
// `slot` selects one of the control page's SwitchDeadlines. A log call that finds such a byte
// compares the clock with the deadline, which costs some nanoseconds, and stores `after` if it has
// passed. In the two bits of `after` and `meanwhile`, 2 stands for kSwitchCounting: a statement
// that is not registered has no deadline. The two values with a stack have no such bits: a timed
// switch records no stacks.

#include <cstdint>

namespace ringside::shm {

inline constexpr std::uint8_t kSwitchOff = 0;
inline constexpr std::uint8_t kSwitchOn = 1;
// On, but records carry time 0 and the consumer stamps them: for sites with kSiteConsumerClock.
inline constexpr std::uint8_t kSwitchOnConsumerClock = 3;
// Log calls leave all higher values to the library, after one comparison.
// Each execution is counted (site_executions.hpp), and not recorded.
inline constexpr std::uint8_t kSwitchCounting = 4;
// The byte that a statement reads before it is registered in a segment. Unused entries and entry 0
// have it too.
inline constexpr std::uint8_t kSwitchUnregistered = 5;
// As kSwitchOn and kSwitchOnConsumerClock, and each record has the stack of its thread.
inline constexpr std::uint8_t kSwitchOnWithStack = 6;
inline constexpr std::uint8_t kSwitchOnConsumerClockWithStack = 7;

constexpr bool is_with_stack(std::uint8_t state) {
  return state == kSwitchOnWithStack || state == kSwitchOnConsumerClockWithStack;
}
// The same value without stacks; other values as they are.
constexpr std::uint8_t switch_without_stack(std::uint8_t state) {
  if (state == kSwitchOnWithStack) return kSwitchOn;
  return state == kSwitchOnConsumerClockWithStack ? kSwitchOnConsumerClock : state;
}
// The same value with stacks, if it is one of the two that record; others as they are.
constexpr std::uint8_t switch_with_stack(std::uint8_t state) {
  if (state == kSwitchOn) return kSwitchOnWithStack;
  return state == kSwitchOnConsumerClock ? kSwitchOnConsumerClockWithStack : state;
}

inline constexpr std::uint8_t kSwitchTimed = 0x80;
inline constexpr std::uint32_t kSwitchDeadlineSlots = 8;

constexpr bool is_timed(std::uint8_t state) {
  return (state & kSwitchTimed) != 0;
}
constexpr std::uint32_t switch_deadline_slot(std::uint8_t state) {
  return (state >> 4) & 7U;
}
constexpr std::uint8_t switch_of_bits(std::uint8_t bits) {
  return bits == 2 ? kSwitchCounting : bits;
}
constexpr std::uint32_t bits_of_switch(std::uint8_t plain) {
  return plain == kSwitchCounting ? 2 : plain & 3U;
}
constexpr std::uint8_t switch_after(std::uint8_t state) {
  return switch_of_bits((state >> 2) & 3U);
}
constexpr std::uint8_t switch_meanwhile(std::uint8_t state) {
  return switch_of_bits(state & 3U);
}
// `meanwhile` and `after` are plain states, `slot` is below kSwitchDeadlineSlots.
constexpr std::uint8_t timed_switch(std::uint8_t meanwhile, std::uint8_t after,
                                    std::uint32_t slot) {
  return static_cast<std::uint8_t>(kSwitchTimed | (slot & 7U) << 4 | bits_of_switch(after) << 2 |
                                   bits_of_switch(meanwhile));
}

// The switch of a site with level `site_level` if sites below `threshold` are off.
constexpr std::uint8_t switch_by_level(std::uint8_t site_level, std::uint32_t threshold,
                                       bool consumer_clock) {
  if (site_level < threshold) return kSwitchOff;
  return consumer_clock ? kSwitchOnConsumerClock : kSwitchOn;
}

// The level in force, in one word: a plain level or, with bit 31, one that holds until a deadline.
//
//   bit  31  18 17 16  15..8   7..0
//        1   slot      after   meanwhile
inline constexpr std::uint32_t kLevelTimed = 1U << 31;

constexpr bool is_timed_level(std::uint32_t word) {
  return (word & kLevelTimed) != 0;
}
constexpr std::uint32_t level_deadline_slot(std::uint32_t word) {
  return (word >> 16) & 7U;
}
constexpr std::uint32_t level_after(std::uint32_t word) {
  return is_timed_level(word) ? (word >> 8) & 0xFFU : word & 0xFFU;
}
constexpr std::uint32_t level_meanwhile(std::uint32_t word) {
  return word & 0xFFU;
}
constexpr std::uint32_t timed_level(std::uint32_t meanwhile, std::uint32_t after,
                                    std::uint32_t slot) {
  return kLevelTimed | (slot & 7U) << 16 | (after & 0xFFU) << 8 | (meanwhile & 0xFFU);
}

static_assert(timed_switch(kSwitchOnConsumerClock, kSwitchOff, 5) == 0xD3);
static_assert(switch_deadline_slot(0xD3) == 5 && switch_after(0xD3) == kSwitchOff &&
              switch_meanwhile(0xD3) == kSwitchOnConsumerClock);
static_assert(timed_switch(kSwitchCounting, kSwitchOn, 1) == 0x96);
static_assert(switch_after(0x96) == kSwitchOn && switch_meanwhile(0x96) == kSwitchCounting);
static_assert(switch_without_stack(kSwitchOnConsumerClockWithStack) == kSwitchOnConsumerClock);
static_assert(switch_with_stack(kSwitchCounting) == kSwitchCounting);
static_assert(timed_level(2, 5, 7) == 0x80070502U);

}  // namespace ringside::shm
