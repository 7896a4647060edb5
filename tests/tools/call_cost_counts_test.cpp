#include "shm-layout/call_cost_counts.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace ringside::shm {
namespace {

CallCostCounts of(std::uint64_t ticks, std::uint64_t calls) {
  CallCostCounts costs;
  costs.ticks = ticks * calls;
  costs.count[cost_bucket(ticks)] = calls;
  return costs;
}

TEST(CallCostCounts, AreNothingWithoutCalls) {
  const CallCostCounts none;
  EXPECT_EQ(none.calls(), 0U);
  EXPECT_EQ(none.mean_ticks(), 0);
  EXPECT_EQ(none.quantile_ticks(500), 0);
  EXPECT_EQ(none.most_ticks(), 0U);
}

TEST(CallCostCounts, QuantilesLieInTheirBucket) {
  CallCostCounts costs = of(32, 90);
  costs.add(of(1024, 10));
  EXPECT_EQ(costs.calls(), 100U);
  EXPECT_DOUBLE_EQ(costs.mean_ticks(), 131.2);
  EXPECT_DOUBLE_EQ(costs.quantile_ticks(450), 36);  // the middle of the bucket from 32 to 40
  EXPECT_DOUBLE_EQ(costs.quantile_ticks(900), 40);
  EXPECT_DOUBLE_EQ(costs.quantile_ticks(990), 1024 + 256 * 0.9);
  EXPECT_DOUBLE_EQ(costs.quantile_ticks(1000), 1280);
  EXPECT_EQ(costs.most_ticks(), 1280U);
}

TEST(CallCostCounts, GrowthIsNeverNegative) {
  CallCostCounts now = of(100, 5);
  now.waited = 2;
  CallCostCounts before = of(100, 3);
  before.waited = 7;
  before.count[0] = 1;
  const CallCostCounts grown = now.since(before);
  EXPECT_EQ(grown.calls(), 2U);
  EXPECT_EQ(grown.waited, 0U);
  EXPECT_EQ(grown.ticks, 200U);
}

TEST(CallCostCounts, RiseWhereTheOthersAreHigher) {
  CallCostCounts costs = of(100, 5);
  costs.waited = 2;
  CallCostCounts other = of(1024, 3);
  other.waited = 1;
  costs.raise_to(other);
  EXPECT_EQ(costs.calls(), 8U);
  EXPECT_EQ(costs.ticks, 3072U);
  EXPECT_EQ(costs.waited, 2U);
}

TEST(CallCostCounts, SurviveAnyWords) {
  CallCostCounts wild;
  wild.ticks = wild.waited = UINT64_MAX;
  wild.count.fill(UINT64_MAX);
  wild.add(wild);
  EXPECT_EQ(wild.calls(), UINT64_MAX);
  EXPECT_GE(wild.quantile_ticks(1000), wild.quantile_ticks(1));
  EXPECT_EQ(cost_ns(wild.mean_ticks(), 0), 0);
}

}  // namespace
}  // namespace ringside::shm
