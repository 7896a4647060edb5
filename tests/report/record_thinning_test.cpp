// Records of a sequence of unknown length: evenly, and never more than wanted.
#include "tools/report/record_thinning.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

// What is kept of `count` members, if dropped ones are removed as soon as there are too many.
std::vector<std::uint64_t> kept_of(std::uint64_t count, std::size_t most) {
  Thinning thinning(most);
  std::vector<std::uint64_t> kept;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t place = 0;
    if (thinning.next(&place)) kept.push_back(place);
    EXPECT_EQ(place, i);
    if (thinning.is_full()) {
      thinning.halve();
      std::erase_if(kept, [&](std::uint64_t one) { return !thinning.is_taken(one); });
    }
  }
  EXPECT_EQ(thinning.seen(), count);
  return kept;
}

TEST(RecordThinning, KeepsAllUpToTheLimit) {
  EXPECT_EQ(kept_of(0, 10).size(), 0U);
  EXPECT_EQ(kept_of(10, 10).size(), 10U);
}

TEST(RecordThinning, KeepsAnEvenPartOfMore) {
  for (const std::uint64_t count : {11U, 100U, 1'000U, 12'345U}) {
    const std::vector<std::uint64_t> kept = kept_of(count, 10);
    ASSERT_GT(kept.size(), 4U) << count;
    EXPECT_LE(kept.size(), 10U) << count;
    const std::uint64_t step = kept[1] - kept[0];
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], i * step) << count;
    // Up to the end.
    EXPECT_GT(kept.back() + step, count - 1) << count;
  }
}

TEST(RecordThinning, CountsAgainAfterSeveralHalvings) {
  Thinning thinning(4);
  std::uint64_t place = 0;
  for (int i = 0; i < 100; ++i) thinning.next(&place);
  EXPECT_TRUE(thinning.is_full());
  int halvings = 0;
  for (; thinning.is_full(); ++halvings) thinning.halve();
  // 0, 32, 64, 96.
  EXPECT_EQ(halvings, 5);
  EXPECT_TRUE(thinning.is_taken(96));
  EXPECT_FALSE(thinning.is_taken(16));
}

}  // namespace
}  // namespace ringside::tool
