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
const ShortRounds::Clock::time_point kEnd = ShortRounds::Clock::now();

ShortRounds after_a_full_round_of(milliseconds duration) {
  ShortRounds rounds;
  rounds.reached_all(kEnd - duration, kEnd);
  return rounds;
}

TEST(ShortRounds, TheFirstRoundReachesAllSessions) {
  EXPECT_FALSE(ShortRounds().may_end_early(kMany, kEnd));
}

TEST(ShortRounds, TakeFourTimesAsLongAsTheFullRoundBeforeThem) {
  const ShortRounds rounds = after_a_full_round_of(milliseconds(10));
  EXPECT_TRUE(rounds.may_end_early(kMany, kEnd + milliseconds(39)));
  EXPECT_FALSE(rounds.may_end_early(kMany, kEnd + milliseconds(40)));
}

TEST(ShortRounds, TakeATenthOfASecondAtMost) {
  const ShortRounds rounds = after_a_full_round_of(milliseconds(2000));
  EXPECT_TRUE(rounds.may_end_early(kMany, kEnd + milliseconds(99)));
  EXPECT_FALSE(rounds.may_end_early(kMany, kEnd + milliseconds(100)));
}

TEST(ShortRounds, AreForManySessionsOnly) {
  const ShortRounds rounds = after_a_full_round_of(milliseconds(10));
  EXPECT_TRUE(rounds.may_end_early(kMany, kEnd));
  EXPECT_FALSE(rounds.may_end_early(kMany - 1, kEnd));
}

}  // namespace
}  // namespace ringside::consumer_test
