// When a trace continues in a new file: by length, by age, and never by default.
#include "consumerd/configuration/rotation_policy.hpp"

#include <gtest/gtest.h>

namespace ringside::consumer_test {
namespace {

using consumer::RotationPolicy;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::uint64_t kFarBytes = std::uint64_t{1} << 50;
constexpr seconds kFarAge{1'000'000'000};

TEST(RotationPolicy, WithoutLimitsNoFileIsRotated) {
  EXPECT_FALSE(RotationPolicy{}.is_due(kFarBytes, 0, kFarAge));
}

TEST(RotationPolicy, FileIsRotatedAtItsLimitOfBytes) {
  const RotationPolicy policy{.bytes = 1000};
  EXPECT_FALSE(policy.is_due(999, 0, kFarAge));
  EXPECT_TRUE(policy.is_due(1000, 0, seconds(0)));
}

TEST(RotationPolicy, FileWithALongFrontGrowsToTwiceItsFront) {
  const RotationPolicy policy{.bytes = 1000};
  EXPECT_TRUE(policy.is_due(1000, 500, seconds(0)));
  EXPECT_FALSE(policy.is_due(1000, 501, seconds(0)));
  EXPECT_FALSE(policy.is_due(5999, 3000, seconds(0)));
  EXPECT_TRUE(policy.is_due(6000, 3000, seconds(0)));
}

TEST(RotationPolicy, FileIsRotatedAtItsLimitOfAge) {
  const RotationPolicy policy{.after = seconds(10)};
  EXPECT_FALSE(policy.is_due(kFarBytes, 0, seconds(10) - nanoseconds(1)));
  EXPECT_TRUE(policy.is_due(1, kFarBytes, seconds(10)));
}

TEST(RotationPolicy, EachLimitAloneIsEnough) {
  const RotationPolicy policy{.bytes = 1000, .after = seconds(10)};
  EXPECT_FALSE(policy.is_due(999, 0, seconds(9)));
  EXPECT_TRUE(policy.is_due(1000, 0, seconds(9)));
  EXPECT_TRUE(policy.is_due(999, 0, seconds(10)));
}

}  // namespace
}  // namespace ringside::consumer_test
