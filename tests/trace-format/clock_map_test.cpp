#include "trace-format/blocks/clock_map.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::trace {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(ClockPoint, ConvertsBothDirectionsFromItsOrigin) {
  const ClockPoint point{1000, 5000, std::uint64_t{1} << 39, 0, 0};  // half a ns per tick
  EXPECT_EQ(point.unix_ns(1000), 5000U);
  EXPECT_EQ(point.unix_ns(1003), 5001U);
  EXPECT_EQ(point.unix_ns(999), 4999U);  // floor(-0.5) = -1
  EXPECT_EQ(point.unix_ns(0), 4500U);
}

TEST(ClockPoint, SurvivesAnyNumbers) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const ClockPoint point{random(), random(), random(), 0, 0};
    (void)point.unix_ns(random());
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ((ClockPoint{0, 0, kMost, 0, 0}.unix_ns(std::uint64_t{1} << 40)), kMost);
}

ClockPoint point_with_error(std::uint64_t tsc0, std::uint64_t max_error_ns) {
  ClockPoint point{tsc0, tsc0, std::uint64_t{1} << 40, 0, tsc0};
  point.sync = {SyncState::kSynchronised, 0, max_error_ns, 0};
  return point;
}

TEST(ClockPoint, ErrorIsTheSumOfDistanceOffsetAndMaximumError) {
  ClockPoint point = point_with_error(0, 1000);
  EXPECT_EQ(point.error_ns(), 1000U);
  point.sync.offset_ns = -20;
  EXPECT_EQ(point.error_ns(), 1020U);
  point.sync.offset_ns = 30;
  point.unix_ns0 = 5000;
  point.realtime_ns = 5200;
  EXPECT_EQ(point.error_ns(), 1230U);
  point.realtime_ns = 4900;
  EXPECT_EQ(point.error_ns(), 1130U);
}

TEST(ClockPoint, ErrorIsUnknownUnlessTheClockIsSynchronised) {
  ClockPoint point = point_with_error(0, 1000);
  for (const SyncState state : {SyncState::kUnknown, SyncState::kUnsynchronised}) {
    point.sync.state = state;
    EXPECT_EQ(point.error_ns(), kUnknownClockError);
  }
}

TEST(ClockPoint, ErrorOfAnyNumbersDoesNotOverflow) {
  ClockPoint point = point_with_error(0, std::numeric_limits<std::uint64_t>::max());
  point.sync.offset_ns = std::numeric_limits<std::int64_t>::min();
  point.unix_ns0 = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(point.error_ns(), kUnknownClockError);
  point.sync.max_error_ns = 0;
  point.unix_ns0 = 0;
  EXPECT_EQ(point.error_ns(), std::uint64_t{1} << 63);
}

TEST(ClockMap, ErrorIsTheLargerOneOfTheTwoPointsAround) {
  ClockMap map;
  map.add(point_with_error(100, 10));
  map.add(point_with_error(200, 40));
  map.add(point_with_error(300, 20));
  EXPECT_EQ(map.error_ns(50), 40U);
  EXPECT_EQ(map.error_ns(150), 40U);
  EXPECT_EQ(map.error_ns(250), 40U);
  EXPECT_EQ(map.error_ns(300), 20U);
}

TEST(ClockMap, UsesTheLatestPointThatIsNotNewer) {
  ClockMap map;
  EXPECT_EQ(map.unix_ns(7), 0U);
  constexpr std::uint64_t kOne = std::uint64_t{1} << 40;
  map.add({200, 10'005, 2 * kOne, 0, 0});
  map.add({100, 9'900, kOne, 0, 0});
  EXPECT_EQ(map.unix_ns(150), 9'950U);
  EXPECT_EQ(map.unix_ns(199), 9'999U);
  EXPECT_EQ(map.unix_ns(200), 10'005U);
  EXPECT_EQ(map.unix_ns(210), 10'025U);
  EXPECT_EQ(map.unix_ns(90), 9'890U) << "older than all points: by the first";
}

TEST(ClockSteering, BeginsAtTheServiceStart) {
  ClockSteering steering({5000, 77, 1'700'000'000 * kSecond, 2'000'000'000});
  const ClockPoint first = steering.first();
  EXPECT_EQ(first.unix_ns(5000), 1'700'000'000 * kSecond);
  EXPECT_EQ(first.unix_ns(5000 + 2'000'000'000), 1'700'000'001 * kSecond);
}

// A machine whose tick rate differs from the one in the segment.
class SteeredClock : public ::testing::TestWithParam<double> {};

TEST_P(SteeredClock, ApproachesMonotonicTimeWithoutAStep) {
  constexpr std::uint64_t kHz = 2'300'000'000;
  const double true_hz = static_cast<double>(kHz) * (1 + GetParam() * 1e-6);
  const ClockSteering::Start start{1'000'000, 50 * kSecond, 1'700'000'000 * kSecond, kHz};
  ClockSteering steering(start);
  ClockMap map;
  map.add(steering.first());
  std::mt19937_64 random(5);
  ClockPoint before = steering.first();
  std::uint64_t last_ns = 0;
  std::int64_t deviation = 0;
  for (std::uint64_t s = 1; s <= 120; ++s) {
    const std::uint64_t elapsed = s * kSecond + random() % 1000000;
    ClockSteering::Now now;
    now.tsc = start.tsc + static_cast<std::uint64_t>(static_cast<double>(elapsed) * true_hz / 1e9);
    now.monotonic_ns = start.monotonic_ns + elapsed + random() % 200;
    // The wall clock is set back by an hour in between, which must not show.
    now.realtime_ns = start.realtime_ns + elapsed - (s > 60 ? 3600 * kSecond : 0);
    const ClockPoint point = steering.next(now);
    EXPECT_EQ(point.unix_ns0, before.unix_ns(point.tsc0)) << "the function has a step";
    EXPECT_GT(point.ns_per_tick, 0U);
    const double measured = 1e9 / true_hz * std::exp2(40);
    EXPECT_LT(std::abs(static_cast<double>(point.ns_per_tick) / measured - 1), 560e-6 + 60e-6);
    map.add(point);
    EXPECT_GT(map.unix_ns(point.tsc0), last_ns);
    last_ns = map.unix_ns(point.tsc0);
    deviation = static_cast<std::int64_t>(last_ns - (start.realtime_ns + elapsed));
    before = point;
  }
  EXPECT_LT(std::abs(deviation), 2000) << "ns after two minutes";
}

INSTANTIATE_TEST_SUITE_P(RateErrorsInPpm, SteeredClock,
                         ::testing::Values(0.0, 50.0, -50.0, 400.0, -400.0));

TEST(ClockSteering, ChangesNothingWhenTheTicksStandStill) {
  ClockSteering steering({1000, 0, 0, 1'000'000'000});
  const ClockPoint point = steering.next({2000, 1000, 1000});
  const ClockPoint again = steering.next({2000, 5000, 5000});
  EXPECT_EQ(again.tsc0, point.tsc0);
  EXPECT_EQ(again.ns_per_tick, point.ns_per_tick);
}

TEST(ClockSteering, LimitsTheSlewAfterASleepThatOnlyOneClockSaw) {
  constexpr std::uint64_t kHz = 1'000'000'000;
  ClockSteering steering({0, 0, 0, kHz});
  const ClockPoint point = steering.next({3600 * kSecond, 10 * kSecond, 10 * kSecond});
  const double rate = static_cast<double>(point.ns_per_tick) / std::exp2(40);
  EXPECT_NEAR(rate, 1.0, 501e-6);
}

// Services that log seldom: a correction is meant for a second, and the next block comes later.
class SeldomSteeredClock : public ::testing::TestWithParam<std::vector<std::uint64_t>> {};

TEST_P(SeldomSteeredClock, DoesNotOvershoot) {
  constexpr double kHz = 2'300'000'000;
  const ClockSteering::Start start{1'000'000, 50 * kSecond, 1'700'000'000 * kSecond,
                                   static_cast<std::uint64_t>(kHz)};
  ClockSteering steering(start);
  ClockMap map;
  map.add(steering.first());
  std::mt19937_64 random(5);
  std::uint64_t elapsed = 0;
  std::uint64_t last_ns = 0;
  for (std::size_t step = 0; step < 40; ++step) {
    elapsed += GetParam()[step % GetParam().size()] * kSecond;
    ClockSteering::Now now;
    now.tsc = start.tsc + static_cast<std::uint64_t>(static_cast<double>(elapsed) * kHz / 1e9);
    now.monotonic_ns = start.monotonic_ns + elapsed + random() % 1000;  // a reading's jitter
    now.realtime_ns = start.realtime_ns + elapsed;
    ClockPoint before = steering.last();
    if (const auto settled = steering.settle(now)) {
      EXPECT_EQ(settled->unix_ns0, before.unix_ns(settled->tsc0)) << "the function has a step";
      map.add(*settled);
      before = *settled;
    }
    const ClockPoint point = steering.next(now);
    EXPECT_EQ(point.unix_ns0, before.unix_ns(point.tsc0)) << "the function has a step";
    EXPECT_GT(point.unix_ns0, last_ns);
    last_ns = point.unix_ns0;
    map.add(point);
    const auto deviation =
        static_cast<std::int64_t>(map.unix_ns(now.tsc) - (start.realtime_ns + elapsed));
    EXPECT_LT(std::abs(deviation), 5000) << "ns after " << elapsed / kSecond << " s";
  }
}

INSTANTIATE_TEST_SUITE_P(SecondsBetweenBlocks, SeldomSteeredClock,
                         ::testing::Values(std::vector<std::uint64_t>{60},
                                           std::vector<std::uint64_t>{1, 60},
                                           std::vector<std::uint64_t>{1, 1, 3600},
                                           std::vector<std::uint64_t>{3}));

TEST(ClockSteering, SettlesAfterTheRecordsThatAreWritten) {
  ClockSteering steering({0, 0, 0, kSecond});
  steering.next({10 * kSecond, 10 * kSecond + 1000, 0});
  const ClockSteering::Now now{30 * kSecond, 30 * kSecond, 0};
  EXPECT_FALSE(steering.settle(now, 30 * kSecond - 1));
  const auto settled = steering.settle(now, 20 * kSecond);
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->tsc0, 20 * kSecond + 1);
  EXPECT_EQ(settled->monotonic_ns, 20 * kSecond + 1);
  EXPECT_FALSE(steering.settle(now, 20 * kSecond)) << "nothing is corrected any more";
}

TEST(ClockSteering, AdjustsALastBlockThatNoRecordHasUsed) {
  const ClockSteering::Start start{1000, 0, 1'700'000'000 * kSecond, 1'000'000'000};
  ClockSteering steering(start);
  const ClockPoint before = steering.next({1000 + kSecond / 10, kSecond / 10, 0});
  // The ticks are faster than the header states. An hour shows it.
  const auto after = [](std::uint64_t seconds) {
    return ClockSteering::Now{1000 + seconds * (kSecond + 50'000), seconds * kSecond, 0};
  };
  EXPECT_FALSE(steering.adjust(after(3600), before.tsc0)) << "a record at its begin has its time";
  EXPECT_EQ(steering.last().ns_per_tick, before.ns_per_tick);
  const auto adjusted = steering.adjust(after(3600), before.tsc0 - 1);
  ASSERT_TRUE(adjusted);
  EXPECT_EQ(adjusted->tsc0, before.tsc0);
  EXPECT_EQ(adjusted->unix_ns0, before.unix_ns0);
  EXPECT_EQ(steering.last().ns_per_tick, adjusted->ns_per_tick);
  const auto deviation = [&](std::uint64_t seconds) {
    const std::uint64_t unix_ns = steering.last().unix_ns(after(seconds).tsc);
    return std::abs(static_cast<std::int64_t>(unix_ns - start.realtime_ns - seconds * kSecond));
  };
  EXPECT_LT(deviation(3600), 100);
  EXPECT_LT(deviation(7200), 100'000) << "it continues with the rate of the hour";
  EXPECT_FALSE(steering.settle(after(7200))) << "nothing is corrected any more";
}

TEST(ClockSteering, AdjustsABlockThatIsNewByNoMoreThanTheLimit) {
  ClockSteering steering({0, 0, 0, kSecond});
  const ClockPoint point = steering.next({10 * kSecond, 10 * kSecond, 0});
  EXPECT_FALSE(steering.adjust({10 * kSecond, 10 * kSecond, 0}, 0)) << "no time has passed";
  const auto adjusted = steering.adjust({10 * kSecond + 1000, 10 * kSecond + 2000, 0}, 0);
  ASSERT_TRUE(adjusted);
  EXPECT_NEAR(static_cast<double>(adjusted->ns_per_tick) / static_cast<double>(point.ns_per_tick),
              1.0, 501e-6);
  EXPECT_TRUE(steering.settle({13 * kSecond, 13 * kSecond, 0})) << "the correction ends";
}

TEST(ClockSteering, ContinuesWhereThePreviousWriterStopped) {
  const ClockSteering::Start start{1000, 0, 1'700'000'000 * kSecond, 1'000'000'000};
  ClockSteering one(start);
  // The ticks are faster than the header states: each second brings a correction.
  ClockPoint before;
  for (std::uint64_t s = 1; s <= 3; ++s) {
    before = one.last();
    one.next({1000 + s * (kSecond + 300'000), s * kSecond, 0});
  }
  ClockSteering other(start);
  ASSERT_TRUE(other.resume(before, one.last()));
  EXPECT_EQ(other.first().tsc0, before.tsc0);
  EXPECT_EQ(other.last().tsc0, one.last().tsc0);
  const ClockSteering::Now now{1000 + 4 * (kSecond + 300'000), 4 * kSecond, 0};
  EXPECT_EQ(other.next(now).unix_ns0, one.next(now).unix_ns0);
}

TEST(ClockSteering, RefusesToContinueFromImpossiblePoints) {
  const ClockSteering::Start start{1000, 0, 1'700'000'000 * kSecond, 1'000'000'000};
  ClockSteering one(start);
  const ClockPoint first = one.first();
  const ClockPoint second = one.next({1000 + kSecond, kSecond, 0});
  ClockPoint apart = second;
  apart.unix_ns0 += 1;
  ClockPoint fast = second;
  fast.ns_per_tick *= 2;
  ClockPoint early = first;
  early.tsc0 = 0;
  early.unix_ns0 = first.unix_ns(0);
  ClockSteering other(start);
  EXPECT_FALSE(other.resume(first, apart));
  EXPECT_FALSE(other.resume(first, fast));
  EXPECT_FALSE(other.resume(early, first));
  EXPECT_FALSE(other.resume(second, first));
  EXPECT_FALSE(other.resume({}, {}));
  EXPECT_EQ(other.last().tsc0, first.tsc0) << "nothing has changed";
}

TEST(ClockSteering, MeasuresTheRateOverTheRunOfTheService) {
  ClockSteering steering({0, 0, 0, 1'000'000'000});
  // An hour at a rate 1000 ppm off the header's: more than the slew would correct.
  const ClockSteering::Now now{3600 * (kSecond + 1'000'000), 3600 * kSecond, 3600 * kSecond};
  steering.measure(now);
  EXPECT_NEAR(static_cast<double>(steering.first().unix_ns(now.tsc)), 3600e9, 5000);
  EXPECT_NEAR(static_cast<double>(steering.next(now).unix_ns0), 3600e9, 5000);
}

TEST(ClockSteering, MeasuresNoRateInLessThanASecond) {
  const ClockSteering::Start start{0, 0, 0, 1'000'000'000};
  const std::uint64_t header_rate = ClockSteering(start).first().ns_per_tick;
  const auto rate_after = [&](std::uint64_t ns) {
    ClockSteering steering(start);
    steering.measure({ns + ns / 1000, ns, ns});
    return steering.first().ns_per_tick;
  };
  EXPECT_EQ(rate_after(kSecond - 1), header_rate);
  EXPECT_LT(rate_after(kSecond), header_rate);
}

}  // namespace
}  // namespace ringside::trace
