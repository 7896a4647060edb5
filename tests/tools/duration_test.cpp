#include "tools/text/duration.hpp"

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

TEST(Duration, ReadsEveryUnit) {
  EXPECT_EQ(parse_duration_ns("7ns"), 7U);
  EXPECT_EQ(parse_duration_ns("7us"), 7'000U);
  EXPECT_EQ(parse_duration_ns("500ms"), 500'000'000U);
  EXPECT_EQ(parse_duration_ns("1s"), 1'000'000'000U);
  EXPECT_EQ(parse_duration_ns("10m"), 600'000'000'000U);
  EXPECT_EQ(parse_duration_ns("2h"), 7'200'000'000'000U);
  EXPECT_EQ(parse_duration_ns("1d"), 86'400'000'000'000U);
  EXPECT_EQ(parse_duration_ns("0s"), 0U);
}

TEST(Duration, ReadsDecimalPlaces) {
  EXPECT_EQ(parse_duration_ns("1.5s"), 1'500'000'000U);
  EXPECT_EQ(parse_duration_ns("0.000000001s"), 1U);
  EXPECT_EQ(parse_duration_ns("0.999999999d"), 86'399'999'913'600U);
}

TEST(Duration, IsRoundedUpForPeople) {
  EXPECT_EQ(bound_text(0), "0 ns");
  EXPECT_EQ(bound_text(999), "999 ns");
  EXPECT_EQ(bound_text(1'000), "1.0 us");
  EXPECT_EQ(bound_text(1'000'001), "1.1 ms");
  EXPECT_EQ(bound_text(1'200'000'000), "1.2 s");
  EXPECT_EQ(bound_text(16'000'000'000), "16.0 s");
}

TEST(Duration, RejectsInvalidText) {
  for (const char* text : {"", "s", "1", "1 s", "-1s", "+1s", "1.s", ".5s", "1sec", "1.0000000000s",
                           "1S", "1s ", "0x1s", "99999999999999999999s"}) {
    EXPECT_EQ(parse_duration_ns(text), std::nullopt) << text;
  }
}

TEST(Duration, RejectsDurationsThatAreTooLong) {
  EXPECT_TRUE(parse_duration_ns("9223372036854775807ns"));
  EXPECT_FALSE(parse_duration_ns("9223372036854775808ns"));
  EXPECT_TRUE(parse_duration_ns("106751d"));
  EXPECT_FALSE(parse_duration_ns("106752d"));
  EXPECT_FALSE(parse_duration_ns("106751.999d"));
}

}  // namespace
}  // namespace ringside::tool
