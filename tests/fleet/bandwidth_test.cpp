#include "tools/fleet/bandwidth.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace ringside::fleet::testing {
namespace {

// What passes in `seconds`, asked each millisecond, with messages of `bytes`.
std::uint64_t passed(std::uint64_t bytes_per_s, std::size_t bytes, std::uint64_t seconds) {
  std::uint64_t now_ms = 12'345;
  Bandwidth bandwidth(bytes_per_s, [&now_ms] { return now_ms; });
  std::uint64_t sent = 0;
  for (const std::uint64_t end_ms = now_ms + 1000 * seconds; now_ms < end_ms; ++now_ms) {
    if (!bandwidth.may_send()) continue;
    bandwidth.spend(bytes);
    sent += bytes;
  }
  return sent;
}

TEST(Bandwidth, GivesTheBytesOfEachSecondAndOneSecondAtOnce) {
  EXPECT_EQ(passed(40'000, 40, 10), 400'000U);  // a message each millisecond
  // The second at the beginning; the last message can exceed the limit.
  EXPECT_GE(passed(40'000, 1000, 10), 439'000U);
  EXPECT_LE(passed(40'000, 1000, 10), 441'000U);
}

TEST(Bandwidth, IsKeptByALimitOfFewBytes) {
  EXPECT_GE(passed(7, 1, 100), 700U);
  EXPECT_LE(passed(7, 1, 100), 708U);
}

TEST(Bandwidth, WaitsForTheRestOfALargeMessage) {
  EXPECT_EQ(passed(1000, 1'000'000, 100), 1'000'000U);
}

TEST(Bandwidth, TakesTheLargestLimitAndNone) {
  EXPECT_EQ(passed(Bandwidth::kMostBytesPerS, 1'000'000, 10), 10'000'000'000U);
  EXPECT_EQ(passed(UINT64_MAX, 1'000'000, 10), 10'000'000'000U);
  EXPECT_EQ(passed(0, 1'000'000, 10), 10'000'000'000U);
}

}  // namespace
}  // namespace ringside::fleet::testing
