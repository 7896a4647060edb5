#include "consumerd/poll/segment_turns.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::consumer {
namespace {

using Clock = SegmentTurns::Clock;
using std::chrono::milliseconds;

constexpr uid_t kAlice = 1;
constexpr uid_t kBob = 2;

TEST(SegmentTurns, GivesTurnsInTheOrderOfArrival) {
  SegmentTurns turns;
  for (const char* name : {"a", "b", "c"}) turns.put_last(kAlice, name);
  EXPECT_EQ(turns.take_ready(kAlice), "a");
  turns.put_first(kAlice, "a");  // found no place
  EXPECT_EQ(turns.take_ready(kAlice), "a");
  EXPECT_EQ(turns.take_ready(kAlice), "b");
  EXPECT_EQ(turns.take_ready(kAlice), "c");
  EXPECT_EQ(turns.take_ready(kAlice), std::nullopt);
  EXPECT_TRUE(turns.empty());
}

TEST(SegmentTurns, KeepsUsersApart) {
  SegmentTurns turns;
  for (int i = 0; i < 1000; ++i) turns.put_last(kAlice, "a" + std::to_string(i));
  turns.put_last(kBob, "b");
  EXPECT_EQ(turns.ready(kAlice), 1000);
  EXPECT_EQ(turns.ready(kBob), 1);
  EXPECT_EQ(turns.take_ready(kBob), "b");
  EXPECT_FALSE(turns.has_ready(kBob));
  EXPECT_EQ(turns.users(), (std::vector<uid_t>{kAlice, kBob}));
}

TEST(SegmentTurns, HoldsEachSegmentOnce) {
  SegmentTurns turns;
  turns.put_last(kAlice, "a");
  turns.put_last(kAlice, "a");
  turns.put_first(kAlice, "a");
  turns.rest(kAlice, "a", Clock::now());
  EXPECT_EQ(turns.size(), 1);
  EXPECT_EQ(turns.take_all(), std::vector<std::string>{"a"});
  EXPECT_TRUE(turns.empty());
}

TEST(SegmentTurns, LetsSegmentsRestLongerTheMoreThereAre) {
  SegmentTurns turns;
  const Clock::time_point now{};
  turns.rest(kAlice, "a", now);
  EXPECT_FALSE(turns.has_ready(kAlice));
  EXPECT_EQ(turns.take_rested(kAlice, now + milliseconds(99)), std::nullopt);
  EXPECT_EQ(turns.take_rested(kAlice, now + milliseconds(100)), "a");
  for (int i = 0; i < 1000; ++i) turns.put_last(kBob, "b" + std::to_string(i));
  turns.rest(kAlice, "a", now);
  EXPECT_EQ(turns.take_rested(kAlice, now + milliseconds(1000)), std::nullopt);
  EXPECT_EQ(turns.take_rested(kAlice, now + milliseconds(1001)), "a");
}

TEST(SegmentTurns, BoundsTurnsAndTheirCycle) {
  SegmentTurns turns;
  EXPECT_EQ(turns.turn(kAlice, 6), milliseconds(100));
  for (int i = 0; i < 24; ++i) turns.put_last(kAlice, "a" + std::to_string(i));
  EXPECT_EQ(turns.turn(kAlice, 6), milliseconds(100));
  for (int i = 24; i < 240; ++i) turns.put_last(kAlice, "a" + std::to_string(i));
  EXPECT_EQ(turns.turn(kAlice, 6), milliseconds(50));  // 40 turns in 2 s
  for (int i = 240; i < 10'000; ++i) turns.put_last(kAlice, "a" + std::to_string(i));
  EXPECT_EQ(turns.turn(kAlice, 6), milliseconds(10));
  EXPECT_EQ(turns.turn(kAlice, 0), milliseconds(10));
}

}  // namespace
}  // namespace ringside::consumer
