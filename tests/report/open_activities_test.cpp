// Which activity records belong to, from the spans around them.
#include "tools/report/open_activities.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

class OpenActivitiesTest : public testing::Test {
 protected:
  static OpenActivities::Id id(std::uint8_t number) { return {number}; }
  // The number of the activity at a time; 0: none.
  int at(std::uint64_t unix_ns, const OpenActivities::Place& place = {}) {
    const OpenActivities::Id* const found = open_.at(place, unix_ns);
    return found == nullptr ? 0 : (*found)[0];
  }
  OpenActivities open_;
};

TEST_F(OpenActivitiesTest, ARecordBelongsToTheInnermostSpan) {
  open_.open({}, 100, id(1));
  EXPECT_EQ(at(10), 1);
  open_.open({}, 50, id(2));
  EXPECT_EQ(at(50), 2);
  EXPECT_EQ(at(51), 1);
  EXPECT_EQ(at(100), 1);
  EXPECT_EQ(at(101), 0);
}

TEST_F(OpenActivitiesTest, ThreadsTasksAndProcessesAreApart) {
  open_.open({.thread = 1}, 100, id(1));
  open_.open({.thread = 1, .substream = 5, .scope = 70}, 100, id(2));
  EXPECT_EQ(at(10, {.thread = 1}), 1);
  EXPECT_EQ(at(10, {.thread = 2}), 0);
  EXPECT_EQ(at(10, {.thread = 3, .substream = 5, .scope = 70}), 2) << "a task moves";
  EXPECT_EQ(at(10, {.thread = 1, .substream = 5, .scope = 71}), 0) << "of another process";
  EXPECT_EQ(at(10, {.thread = 1, .substream = 6, .scope = 70}), 0);
}

TEST_F(OpenActivitiesTest, ASpanWithTwoRecordsHasOneEnd) {
  constexpr std::uint64_t kNoEnd = OpenActivities::kNoEnd;
  for (const bool begin_first : {true, false}) {
    OpenActivities open;
    open.open({}, begin_first ? kNoEnd : 50, id(1), 7);
    open.open({}, begin_first ? 50 : kNoEnd, id(1), 7);
    EXPECT_NE(open.at({}, 50), nullptr);
    EXPECT_EQ(open.at({}, 51), nullptr) << begin_first;
  }
  open_.open({}, kNoEnd, id(1), 7);
  open_.open({}, 50, id(2), 8);
  EXPECT_EQ(at(40), 2);
  EXPECT_EQ(at(1'000'000), 1) << "without an end, until the end of the trace";
}

TEST_F(OpenActivitiesTest, MemoryIsBounded) {
  for (std::uint64_t i = 0; i < 3 * OpenActivities::kMostTasks; ++i)
    open_.open({.substream = i + 1, .scope = 1}, 100, id(1));
  EXPECT_EQ(at(10, {.substream = 1, .scope = 1}), 0);
  EXPECT_EQ(at(10, {.substream = 3 * OpenActivities::kMostTasks, .scope = 1}), 1);
  for (std::uint64_t i = 0; i < 3 * OpenActivities::kMostOpen; ++i)
    open_.open({}, 1000 - i, id(static_cast<std::uint8_t>(i)));
  EXPECT_EQ(at(1000 - 3 * OpenActivities::kMostOpen), 3 * OpenActivities::kMostOpen - 1);
  EXPECT_EQ(at(1000), 0) << "the outermost were left out";
}

}  // namespace
}  // namespace ringside::tool
