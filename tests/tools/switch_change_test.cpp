// Changes of levels and switches, on words in private memory.
#include "shm-layout/switch_change.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/level.hpp"

namespace ringside::shm {
namespace {

constexpr auto kTrace = static_cast<std::uint8_t>(Level::kTrace);
constexpr auto kDebug = static_cast<std::uint8_t>(Level::kDebug);
constexpr auto kInfo = static_cast<std::uint8_t>(Level::kInfo);
constexpr auto kWarning = static_cast<std::uint8_t>(Level::kWarning);

// A segment with statements 1 to n of these levels and the current level `level`.
struct Segment {
  using Switches = std::vector<std::uint8_t>;

  explicit Segment(std::uint32_t in_force, std::vector<std::uint8_t> levels)
      : level(in_force), site_levels(std::move(levels)) {
    switches.push_back(kSwitchUnregistered);
    for (const std::uint8_t one : site_levels) {
      switches.push_back(switch_by_level(one, in_force, false));
    }
  }

  bool read_level(std::uint32_t* word) const { return *word = level, true; }
  bool write_level(std::uint32_t word) { return level = word, true; }
  bool read_deadlines(DeadlineCopy* copy) const { return *copy = deadlines, true; }
  bool write_deadline(std::uint32_t slot, std::uint64_t tsc) { return deadlines[slot] = tsc, true; }
  bool read_switches(Switches* copy) const { return *copy = switches, true; }
  bool write_switch(std::uint32_t id, std::uint8_t state) { return switches[id] = state, true; }

  auto for_each_site() const {
    return [this](const auto& visit) {
      for (std::uint32_t i = 0; i < site_levels.size(); ++i) visit(i + 1, site_levels[i], false);
      return true;
    };
  }
  bool admit(std::uint32_t threshold, std::uint64_t now, std::uint64_t deadline) {
    std::optional<std::uint32_t> slot;
    return take_deadline(*this, now, deadline, &slot) && slot &&
           admit_level(*this, threshold, *slot, for_each_site());
  }
  bool change(std::uint32_t threshold, std::uint64_t now, std::uint64_t deadline) {
    std::optional<std::uint32_t> slot;
    return take_deadline(*this, now, deadline, &slot) && slot &&
           change_level(*this, threshold, slot, for_each_site());
  }
  // The statements that are on at that time, as log calls find them.
  std::vector<std::uint32_t> on(std::uint64_t now) const {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t id = 1; id < switches.size(); ++id) {
      std::uint8_t state = switches[id];
      if (is_timed(state) && deadlines[switch_deadline_slot(state)] <= now) {
        state = switch_after(state);
      }
      if (is_on_meanwhile(state)) ids.push_back(id);
    }
    return ids;
  }
  std::uint32_t level_at(std::uint64_t now) const {
    const bool timed = is_timed_level(level) && deadlines[level_deadline_slot(level)] > now;
    return timed ? level_meanwhile(level) : level_after(level);
  }

  std::uint32_t level;
  std::vector<std::uint8_t> site_levels;
  Switches switches;
  DeadlineCopy deadlines{};
};

using Ids = std::vector<std::uint32_t>;

TEST(SwitchChange, AnAdmittedLevelIsOverAtItsDeadline) {
  Segment segment(kInfo, {kTrace, kDebug, kInfo, kWarning});
  ASSERT_TRUE(segment.admit(kDebug, 100, 200));
  EXPECT_EQ(segment.on(150), (Ids{2, 3, 4}));
  EXPECT_EQ(segment.level_at(150), kDebug);
  EXPECT_EQ(segment.on(200), (Ids{3, 4}));
  EXPECT_EQ(segment.level_at(200), kInfo);
}

TEST(SwitchChange, AdmittingALevelKeepsStatementsThatWereSwitchedSingly) {
  Segment segment(kInfo, {kTrace, kDebug, kInfo, kInfo});
  segment.switches[1] = kSwitchOn;   // less severe than the level, but on
  segment.switches[3] = kSwitchOff;  // permitted by the level, but off
  ASSERT_TRUE(segment.admit(kDebug, 100, 200));
  EXPECT_EQ(segment.on(150), (Ids{1, 2, 4}));
  EXPECT_EQ(segment.on(200), (Ids{1, 4}));
}

TEST(SwitchChange, AdmittingALevelThatIsInForceChangesNothing) {
  Segment segment(kDebug, {kTrace, kDebug, kInfo});
  segment.switches[2] = kSwitchOff;
  ASSERT_TRUE(segment.admit(kDebug, 100, 200));
  ASSERT_TRUE(segment.admit(kWarning, 100, 200));
  EXPECT_EQ(segment.on(150), (Ids{3}));
  EXPECT_EQ(segment.level, kDebug);
}

TEST(SwitchChange, AdmittingALevelAgainProlongsIt) {
  Segment segment(kInfo, {kDebug});
  ASSERT_TRUE(segment.admit(kDebug, 100, 200));
  ASSERT_TRUE(segment.admit(kDebug, 150, 250));
  EXPECT_EQ(segment.on(240), (Ids{1}));
  EXPECT_EQ(segment.level_at(240), kDebug);
  EXPECT_EQ(segment.on(250), (Ids{}));
  EXPECT_EQ(segment.level_at(250), kInfo);
}

TEST(SwitchChange, ALongerChangeIsNotCutShort) {
  Segment segment(kInfo, {kTrace, kDebug});
  ASSERT_TRUE(segment.change(kTrace, 100, 1000));
  ASSERT_TRUE(segment.admit(kDebug, 150, 200));
  EXPECT_EQ(segment.on(900), (Ids{1, 2}));
  EXPECT_EQ(segment.level_at(900), kTrace);
  EXPECT_EQ(segment.on(1000), (Ids{}));
  EXPECT_EQ(segment.level_at(1000), kInfo);
}

TEST(SwitchChange, StacksLastWhileTheStatementIsOn) {
  Segment segment(kInfo, {kInfo, kWarning});
  segment.switches[1] = kSwitchOnWithStack;
  segment.switches[2] = kSwitchOnConsumerClockWithStack;
  EXPECT_EQ(segment.on(0), (Ids{1, 2}));
  ASSERT_TRUE(change_level(segment, kDebug, {}, segment.for_each_site()));
  EXPECT_EQ(segment.switches[1], kSwitchOnWithStack);
  ASSERT_TRUE(segment.change(kDebug, 10, 20));
  EXPECT_EQ(segment.switches[1], kSwitchOnWithStack) << "nothing changes for it";
  ASSERT_TRUE(segment.change(kWarning, 10, 20));
  EXPECT_EQ(segment.switches[1], timed_switch(kSwitchOff, kSwitchOn, 0)) << "no bits for stacks";
  EXPECT_EQ(segment.on(15), (Ids{2}));
  EXPECT_EQ(segment.on(25), (Ids{1, 2}));
}

TEST(SwitchChange, CountingForATimeEndsStacks) {
  EXPECT_EQ(changed_switch(kSwitchOnConsumerClockWithStack, kSwitchCounting, 3),
            timed_switch(kSwitchCounting, kSwitchOnConsumerClock, 3));
  EXPECT_EQ(changed_switch(kSwitchOnWithStack, kSwitchOff, {}), kSwitchOff);
  EXPECT_EQ(settled_switch(kSwitchOnWithStack), kSwitchOn);
  EXPECT_EQ(present_switch(kSwitchOnConsumerClockWithStack), kSwitchOnConsumerClock);
}

TEST(SwitchChange, SlotsAreFreeAgainWhenTheirDeadlinesAreOver) {
  Segment segment(kInfo, {kDebug});
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(segment.admit(kDebug, 100 * i, 100 * i + 50)) << i;
    EXPECT_EQ(segment.on(100 * i + 20), (Ids{1}));
    EXPECT_EQ(segment.on(100 * i + 60), (Ids{}));
  }
}

TEST(SwitchChange, NoSlotIsTakenThatIsStillReferredTo) {
  Segment segment(kInfo, std::vector<std::uint8_t>(kSwitchDeadlineSlots, kDebug));
  std::optional<std::uint32_t> slot;
  for (std::uint32_t i = 0; i < kSwitchDeadlineSlots; ++i) {
    ASSERT_TRUE(take_deadline(segment, 100, 1000 + i, &slot));
    ASSERT_EQ(slot, i);
    segment.switches[i + 1] = timed_switch(kSwitchOn, kSwitchOff, *slot);
  }
  ASSERT_TRUE(take_deadline(segment, 100, 5000, &slot));
  EXPECT_FALSE(slot);
  ASSERT_TRUE(take_deadline(segment, 1000, 5000, &slot));
  EXPECT_EQ(slot, 0U) << "whose switch was restored";
  EXPECT_EQ(segment.switches[1], kSwitchOff);
}

}  // namespace
}  // namespace ringside::shm
