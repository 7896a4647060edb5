// When a round over many sessions may end before its last one.

#include "consumerd/poll/short_rounds.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace ringside::consumer_test {
namespace {

using consumer::kStagingSlots;
using consumer::ShortRounds;
using std::chrono::milliseconds;

constexpr std::size_t kMany = 2 * kStagingSlots + 1;
const ShortRounds::Clock::time_point kBegin = ShortRounds::Clock::now();

TEST(ShortRounds, TheFirstRoundReachesAllSessions) {
  EXPECT_FALSE(ShortRounds().may_end_early(kMany, kBegin));
}

TEST(ShortRounds, TakeFourTimesAsLongAsTheFullRoundBeforeThem) {
  ShortRounds rounds;
  const auto end = kBegin + milliseconds(10);
  rounds.reached_all(kBegin, end);
  EXPECT_TRUE(rounds.may_end_early(kMany, end));
  EXPECT_TRUE(rounds.may_end_early(kMany, end + milliseconds(39)));
  EXPECT_FALSE(rounds.may_end_early(kMany, end + milliseconds(40)));
}

TEST(ShortRounds, TakeATenthOfASecondAtMost) {
  ShortRounds rounds;
  const auto end = kBegin + milliseconds(2000);
  rounds.reached_all(kBegin, end);
  EXPECT_TRUE(rounds.may_end_early(kMany, end + milliseconds(99)));
  EXPECT_FALSE(rounds.may_end_early(kMany, end + milliseconds(100)));
}

TEST(ShortRounds, AreForManySessionsOnly) {
  ShortRounds rounds;
  const auto end = kBegin + milliseconds(10);
  rounds.reached_all(kBegin, end);
  EXPECT_FALSE(rounds.may_end_early(kMany - 1, end));
}

}  // namespace
}  // namespace ringside::consumer_test
