#pragma once
// Changes the level and the switches of a live segment, for tools and consumerd, in the order of
// README.md, "Switches". The caller holds kSwitchLockByte.
//
// `Words` reads and writes the segment for the caller; each function returns false on failure:
//
//   using Switches = a container of bytes
//   bool read_level(std::uint32_t* word);          bool write_level(std::uint32_t word);
//   bool read_deadlines(DeadlineCopy* deadlines);  bool write_deadline(slot, std::uint64_t tsc);
//   bool read_switches(Switches* switches);        of sites 1 to site_count; [0] is unused
//   bool write_switch(std::uint32_t site_id, std::uint8_t state);
//
// A reader of a switch also sees the deadline that was written before it (release).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "site_switch.hpp"

namespace ringside::shm {

using DeadlineCopy = std::array<std::uint64_t, kSwitchDeadlineSlots>;

// The state of a switch after all deadlines, without stacks.
constexpr std::uint8_t settled_switch(std::uint8_t state) {
  return is_timed(state) ? switch_after(state) : switch_without_stack(state);
}

// The state of a switch before its deadline, without stacks.
constexpr std::uint8_t present_switch(std::uint8_t state) {
  return is_timed(state) ? switch_meanwhile(state) : switch_without_stack(state);
}

constexpr bool is_on_meanwhile(std::uint8_t state) {
  const std::uint8_t now = present_switch(state);
  return now == kSwitchOn || now == kSwitchOnConsumerClock;
}

// `state` changed to `meanwhile`: permanently, or until the slot's deadline. A statement that
// records stacks goes on with them while it is on.
constexpr std::uint8_t changed_switch(std::uint8_t state, std::uint8_t meanwhile,
                                      std::optional<std::uint32_t> slot) {
  if (is_with_stack(state) && meanwhile == switch_without_stack(state)) return state;
  if (!slot || meanwhile == settled_switch(state)) return meanwhile;
  return timed_switch(meanwhile, settled_switch(state), *slot);
}

// Reverts expired changes.
template <class Words>
bool end_expired(Words& words, std::uint64_t now_tsc) {
  DeadlineCopy deadlines{};
  std::uint32_t level = 0;
  if (!words.read_deadlines(&deadlines) || !words.read_level(&level)) return false;
  if (is_timed_level(level) && deadlines[level_deadline_slot(level)] <= now_tsc &&
      !words.write_level(level_after(level))) {
    return false;
  }
  typename Words::Switches switches;
  if (!words.read_switches(&switches)) return false;
  for (std::size_t id = 1; id < switches.size(); ++id) {
    const std::uint8_t state = switches[id];
    if (is_timed(state) && deadlines[switch_deadline_slot(state)] <= now_tsc &&
        !words.write_switch(static_cast<std::uint32_t>(id), switch_after(state))) {
      return false;
    }
  }
  return true;
}

// Finds a slot that neither the level nor a switch refers to, and stores the deadline there.
// `*slot` is empty if none is free.
template <class Words>
bool take_deadline(Words& words, std::uint64_t now_tsc, std::uint64_t deadline_tsc,
                   std::optional<std::uint32_t>* slot) {
  slot->reset();
  std::uint32_t level = 0;
  typename Words::Switches switches;
  if (!end_expired(words, now_tsc) || !words.read_level(&level) ||
      !words.read_switches(&switches)) {
    return false;
  }
  std::array<bool, kSwitchDeadlineSlots> taken{};
  if (is_timed_level(level)) taken[level_deadline_slot(level)] = true;
  for (std::size_t id = 1; id < switches.size(); ++id) {
    if (is_timed(switches[id])) taken[switch_deadline_slot(switches[id])] = true;
  }
  for (std::uint32_t free = 0; free < kSwitchDeadlineSlots; ++free) {
    if (taken[free]) continue;
    *slot = free;
    return words.write_deadline(free, deadline_tsc);
  }
  return true;
}

// Switches statements below `threshold` off and all others on, permanently or until the slot's
// deadline. `for_each_site(visit)` calls visit(id, level, consumer_clock) for each site known at
// the time of the call, and returns false on failure.
template <class Words, class ForEachSite>
bool change_level(Words& words, std::uint32_t threshold, std::optional<std::uint32_t> slot,
                  ForEachSite&& for_each_site) {
  std::uint32_t before = 0;
  if (!words.read_level(&before)) return false;
  const std::uint32_t after = level_after(before);
  const bool timed = slot && after != threshold;
  // First, so that a statement that is registered at the same time either reads the new level or is
  // visited below.
  if (!words.write_level(timed ? timed_level(threshold, after, *slot) : threshold)) return false;
  typename Words::Switches switches;
  bool written = true;
  const auto visit = [&](std::uint32_t id, std::uint8_t level, bool consumer_clock) {
    if (!written || id >= switches.size()) return;
    const std::uint8_t meanwhile = switch_by_level(level, threshold, consumer_clock);
    written = words.write_switch(id, changed_switch(switches[id], meanwhile, slot));
  };
  return words.read_switches(&switches) && for_each_site(visit) && written;
}

// Until the slot's deadline, also switches on the statements from `threshold` that the level in
// force keeps off. Statements that were switched off individually stay off, statements that are on
// stay on, and a change that lasts longer stays as it is.
template <class Words, class ForEachSite>
bool admit_level(Words& words, std::uint32_t threshold, std::uint32_t slot,
                 ForEachSite&& for_each_site) {
  DeadlineCopy deadlines{};
  std::uint32_t before = 0;
  if (!words.read_deadlines(&deadlines) || !words.read_level(&before)) return false;
  const std::uint32_t after = level_after(before);
  if (threshold >= after) return true;
  const bool admitted_for_longer = is_timed_level(before) && level_meanwhile(before) <= threshold &&
                                   deadlines[level_deadline_slot(before)] >= deadlines[slot];
  if (!admitted_for_longer && !words.write_level(timed_level(threshold, after, slot))) return false;
  typename Words::Switches switches;
  bool written = true;
  const auto visit = [&](std::uint32_t id, std::uint8_t level, bool consumer_clock) {
    if (!written || id >= switches.size() || level < threshold || level >= after) return;
    const std::uint8_t state = switches[id];
    if (settled_switch(state) != kSwitchOff) return;
    const bool on_for_longer = is_timed(state) && is_on_meanwhile(state) &&
                               deadlines[switch_deadline_slot(state)] >= deadlines[slot];
    if (on_for_longer) return;
    const std::uint8_t on = switch_by_level(level, threshold, consumer_clock);
    written = words.write_switch(id, timed_switch(on, kSwitchOff, slot));
  };
  return words.read_switches(&switches) && for_each_site(visit) && written;
}

}  // namespace ringside::shm
