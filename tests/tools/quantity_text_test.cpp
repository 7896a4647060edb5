#include "tools/ringstat/quantity_text.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/tick_time.hpp"

namespace ringside::tool {
namespace {

TEST(QuantityText, KeepsNumbersShort) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(999.6), "1.00k");
  EXPECT_EQ(count_text(12'345), "12.3k");
  EXPECT_EQ(count_text(999'499), "999k");
  EXPECT_EQ(count_text(4'560'000), "4.56M");
  for (int power = 0; power < 140; ++power) {
    const double number = std::pow(1.37, power);  // to 1e19
    EXPECT_LE(count_text(number).size(), 5U) << number;
  }
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(65536), "64.0 KiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024), "1.50 MiB");
}

TEST(QuantityText, RoundsTimes) {
  EXPECT_EQ(seconds_text({}), "-");
  EXPECT_EQ(seconds_text(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(seconds_text(0.0123), "12 ms");
  EXPECT_EQ(seconds_text(3.21), "3.2 s");
  EXPECT_EQ(seconds_text(240), "4 min");
  EXPECT_EQ(seconds_text(7200), "2 h");
  EXPECT_EQ(seconds_text(1e9), "days");
}

TEST(QuantityText, ShowsShortTimesWithThreeDigits) {
  EXPECT_EQ(nanoseconds_text(0), "0 ns");
  EXPECT_EQ(nanoseconds_text(12.4), "12 ns");
  EXPECT_EQ(nanoseconds_text(1530), "1.53 us");
  EXPECT_EQ(nanoseconds_text(20.4e6), "20.4 ms");
  EXPECT_EQ(nanoseconds_text(2.5e9), "2.50 s");
  EXPECT_EQ(nanoseconds_text(5e12), "5000 s");
}

TEST(QuantityText, DrawsBarsWithinTheirWidth) {
  EXPECT_EQ(bar_text(0, 0, 10), "..........");
  EXPECT_EQ(bar_text(1, 0, 10), "#.........");
  EXPECT_EQ(bar_text(500, 700, 10), "#####..|..");
  EXPECT_EQ(bar_text(1000, 1000, 10), "#########|");
  EXPECT_EQ(bar_text(UINT64_MAX, UINT64_MAX, 3), "##|");
  EXPECT_EQ(bar_text(500, 500, 0), "");
}

TEST(QuantityText, DrawsTheLatestNumbers) {
  const std::vector<double> numbers{0, 5, 10};
  EXPECT_EQ(sparkline_text(numbers, 10, false), "_=#");
  EXPECT_EQ(sparkline_text(numbers, 2, true), "▅█");
  EXPECT_EQ(sparkline_text({}, 10, true), "");
  EXPECT_EQ(sparkline_text(std::vector<double>{0, 0}, 10, false), "__");
}

TEST(TickTime, SurvivesAnyFrequencyAndCount) {
  EXPECT_EQ(shm::ticks_to_ns(UINT64_MAX, 0), 0U);
  EXPECT_EQ(shm::ticks_to_ns(UINT64_MAX, 1), UINT64_MAX);
  EXPECT_EQ(shm::ns_to_ticks(UINT64_MAX, UINT64_MAX), UINT64_MAX / 2);
  EXPECT_EQ(shm::ns_to_ticks(shm::kSecondNs, 0), 0U);
  EXPECT_EQ(shm::ticks_to_ns(shm::ns_to_ticks(30 * shm::kSecondNs, 2'999'999'999), 2'999'999'999),
            30 * shm::kSecondNs);
}

}  // namespace
}  // namespace ringside::tool
