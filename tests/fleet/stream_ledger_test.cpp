#include "tools/fleet/stream_ledger.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::fleet {
namespace {

trace::ExtentHeader extent(std::uint64_t stream, std::uint64_t first, std::uint32_t records,
                           std::uint64_t dropped = 0) {
  trace::ExtentHeader header;
  header.stream_id = stream;
  header.first_sequence = first;
  header.records = records;
  header.dropped = dropped;
  return header;
}

TEST(StreamLedger, TakesEachExtentOnce) {
  StreamLedger ledger;
  EXPECT_TRUE(ledger.take(extent(1, 0, 10)));
  EXPECT_FALSE(ledger.take(extent(1, 0, 10)));
  EXPECT_TRUE(ledger.take(extent(2, 0, 10)));
  EXPECT_TRUE(ledger.take(extent(1, 10, 1)));
}

TEST(StreamLedger, CountsLossesAsNumbers) {
  StreamLedger ledger;
  EXPECT_TRUE(ledger.take(extent(1, 20, 0, 5)));
  EXPECT_FALSE(ledger.take(extent(1, 20, 0, 5)));
  EXPECT_FALSE(ledger.take(extent(1, 18, 1)));
  EXPECT_TRUE(ledger.take(extent(1, 20, 3)));
  EXPECT_TRUE(ledger.take(extent(1, 10, 5)));
}

TEST(StreamLedger, RefusesOverlaps) {
  StreamLedger ledger;
  EXPECT_TRUE(ledger.take(extent(1, 10, 10)));
  EXPECT_FALSE(ledger.take(extent(1, 5, 6)));
  EXPECT_FALSE(ledger.take(extent(1, 19, 5)));
  EXPECT_FALSE(ledger.take(extent(1, 0, 100)));
  EXPECT_TRUE(ledger.take(extent(1, 5, 5)));
  EXPECT_TRUE(ledger.take(extent(1, 20, 5)));
}

TEST(StreamLedger, TakesAnyOrderOnce) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<trace::ExtentHeader> extents;
    std::uint64_t next = 0;
    for (int i = 0; i < 30; ++i) {
      const auto records = static_cast<std::uint32_t>(1 + random() % 5);
      extents.push_back(extent(1, next, records));
      next += records;
    }
    auto twice = extents;
    twice.insert(twice.end(), extents.begin(), extents.end());
    std::shuffle(twice.begin(), twice.end(), random);
    StreamLedger ledger;
    EXPECT_EQ(std::count_if(twice.begin(), twice.end(),
                            [&ledger](const auto& each) { return ledger.take(each); }),
              30);
  }
}

TEST(StreamLedger, CoversWhatIsTakenAsAWhole) {
  StreamLedger ledger;
  ledger.add(extent(1, 10, 10));
  EXPECT_TRUE(ledger.covers(extent(1, 12, 5)));
  EXPECT_FALSE(ledger.covers(extent(1, 5, 10)));
  EXPECT_FALSE(ledger.covers(extent(1, 15, 10)));
  EXPECT_FALSE(ledger.covers(extent(2, 12, 5)));
  EXPECT_FALSE(ledger.covers(extent(1, 12, 0))) << "it has no numbers";
  ledger.add(extent(1, 30, 10));
  EXPECT_EQ(ledger.ranges(), 2U);
  ledger.add(extent(1, 15, 20));
  EXPECT_EQ(ledger.ranges(), 1U);
  EXPECT_TRUE(ledger.covers(extent(1, 10, 30)));
  ledger.add(extent(2, 0, 1));
  EXPECT_EQ(ledger.ranges(), 2U);
}

}  // namespace
}  // namespace ringside::fleet
