// Points in time as users type them.
#include "tools/text/time_argument.hpp"

#include <stdlib.h>
#include <time.h>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kStart = 1'763'674'516;  // 2025-11-20 21:35:16 UTC
constexpr std::uint64_t kNow = (kStart + 3600) * kSecond;

std::uint64_t utc(std::string_view text) {
  std::string why;
  return parse_time(text, kNow, true, &why).value_or(0);
}

TEST(TimeArgument, ReadsDatesAndTimes) {
  EXPECT_EQ(utc("2025-11-20T21:35:16Z"), kStart * kSecond);
  EXPECT_EQ(utc("2025-11-20t21:35:16.5z"), kStart * kSecond + kSecond / 2);
  EXPECT_EQ(utc("2025-11-20T22:35:16+01:00"), kStart * kSecond);
  EXPECT_EQ(utc("2025-11-20T21:05:16.000000001-00:30"), kStart * kSecond + 1);
  EXPECT_EQ(utc("2025-11-20 21:35:16"), kStart * kSecond);
  EXPECT_EQ(utc("2025-11-20 21:35"), (kStart - 16) * kSecond);
  EXPECT_EQ(utc("2025-11-20"), (kStart - kStart % 86'400) * kSecond);
  EXPECT_EQ(utc("21:35"), (kStart - 16) * kSecond) << "today";
  EXPECT_EQ(utc("21:35:16.25"), kStart * kSecond + kSecond / 4);
}

TEST(TimeArgument, ReadsLocalTimes) {
  const char* const zone = getenv("TZ");
  const std::string before = zone == nullptr ? "" : zone;
  setenv("TZ", "XYZ-2", 1);  // two hours east
  tzset();
  std::string why;
  EXPECT_EQ(parse_time("2025-11-20 23:35:16", kNow, false, &why), kStart * kSecond);
  EXPECT_EQ(parse_time("2025-11-20T21:35:16Z", kNow, false, &why), kStart * kSecond);
  EXPECT_EQ(parse_time("00:35:16", kNow, false, &why), kNow) << "today is the 21st there";
  if (zone == nullptr) {
    unsetenv("TZ");
  } else {
    setenv("TZ", before.c_str(), 1);
  }
  tzset();
}

TEST(TimeArgument, ReadsRelativeAndUnixTimes) {
  EXPECT_EQ(utc("now"), kNow);
  EXPECT_EQ(utc("-1h"), kStart * kSecond);
  EXPECT_EQ(utc("-60m"), kStart * kSecond);
  EXPECT_EQ(utc("-1.5s"), kNow - kSecond * 3 / 2);
  EXPECT_EQ(utc("-250ms"), kNow - kSecond / 4);
  EXPECT_EQ(utc("-30d"), kNow - 30 * 86'400UL * kSecond);
  EXPECT_EQ(utc("@1763674516.000000001"), kStart * kSecond + 1);
}

TEST(TimeArgument, RejectsInvalidTextAndListsTheValidForms) {
  for (const char* text : {"",
                           "yesterday",
                           "25:00",
                           "21:60",
                           "2025-13-01",
                           "2025-02-30",
                           "2025-00-10",
                           "2025-11-20 21",
                           "2025-11-20T21:35:16+1",
                           "2025-11-20 21:35:16x",
                           "-5",
                           "-m",
                           "-5y",
                           "@",
                           "@x",
                           "@-5",
                           "21:35:16.",
                           "1960-01-01",
                           "@99999999999999999999",
                           "9999-01-01"}) {
    std::string why;
    EXPECT_FALSE(parse_time(text, kNow, true, &why)) << text;
    EXPECT_NE(why.find("; use 2026-"), std::string::npos) << text;
  }
  std::string why;
  EXPECT_EQ(parse_time("-99999d", kNow, true, &why), 0U) << "before the beginning";
}

}  // namespace
}  // namespace ringside::tool
