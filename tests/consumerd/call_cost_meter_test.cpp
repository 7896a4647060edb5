// The cost of log calls as consumerd reports it: what services counted, and never less.
#include "consumerd/session/call_cost_meter.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "scripted_service.hpp"
#include "shm-layout/call_costs.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::CallCostMeter;
using consumer::CallTimes;

struct MeasuredService {
  explicit MeasuredService(std::uint32_t rings, bool measures = true)
      : service(shm.path(), "orders", 1, rings, true, measures) {
    consumer::AttachFailure failure;
    segment = consumer::AttachedSegment::attach(shm.path(), service.name(), &failure);
    EXPECT_NE(segment, nullptr) << failure.why;
    meter = std::make_unique<CallCostMeter>(*segment);
  }

  // The services' ticks are at 2 GHz.
  void count(std::uint32_t ring, std::uint64_t ticks, std::uint64_t calls) const {
    service.call_costs(ring).all.ticks += ticks * calls;
    service.call_costs(ring).all.count[shm::cost_bucket(ticks)] += calls;
  }

  TemporaryDirectory shm;
  ScriptedService service;
  std::unique_ptr<consumer::AttachedSegment> segment;
  std::unique_ptr<CallCostMeter> meter;
};

std::uint64_t within(const CallTimes& times, double seconds) {
  std::uint64_t calls = 0;
  for (std::size_t i = 0; i < CallTimes::kBoundsS.size(); ++i) {
    if (CallTimes::kBoundsS[i] <= seconds) calls += times.counts[i];
  }
  return calls;
}

std::uint64_t all(const CallTimes& times) {
  return within(times, 1) + times.counts.back();
}

TEST(CallCostMeter, IsSilentWhereNothingIsMeasured) {
  const MeasuredService one(2, false);
  EXPECT_FALSE(one.meter->read().measured);
}

TEST(CallCostMeter, CountsACallWithinABoundOnlyIfItsBucketIs) {
  const MeasuredService one(2);
  one.count(0, 39, 1);    // 19.5 ns, in the bucket from 16 to 20
  one.count(1, 41, 10);   // 20.5 ns
  one.count(1, 96, 100);  // 48 ns, in the bucket from 48 to 56: possibly more than 50
  one.count(0, std::uint64_t{1} << 40, 1'000);  // minutes
  const CallTimes times = one.meter->read();
  EXPECT_TRUE(times.measured);
  EXPECT_EQ(within(times, 1e-8), 0U);
  EXPECT_EQ(within(times, 2e-8), 1U);
  EXPECT_EQ(within(times, 5e-8), 11U);
  EXPECT_EQ(within(times, 1e-7), 111U);
  EXPECT_EQ(within(times, 1), 111U);
  EXPECT_EQ(all(times), 1'111U);
  const double ticks = 39 + 410 + 9600 + 1e3 * 0x1p40;
  EXPECT_DOUBLE_EQ(times.sum_s, ticks / 2e9);
}

TEST(CallCostMeter, ReadsManyRingsInTurns) {
  constexpr std::uint32_t kRings = 2 * consumer::CallCostTotals::kRingsAtATime + 1;
  const MeasuredService one(kRings);
  for (std::uint32_t i = 0; i < kRings; ++i) one.count(i, 100, 1);
  EXPECT_EQ(all(one.meter->read()), 0U);
  EXPECT_EQ(all(one.meter->read()), 0U);
  EXPECT_EQ(all(one.meter->read()), kRings);
  one.count(0, 100, 1);
  EXPECT_EQ(all(one.meter->read()), kRings);
  EXPECT_EQ(all(one.meter->read()), kRings);
  EXPECT_EQ(all(one.meter->read()), kRings + 1U);
}

TEST(CallCostMeter, TotalsDoNotFallWhateverTheServiceWrites) {
  MeasuredService one(3);
  std::mt19937_64 random(7);
  const auto any = [&random] {
    return random() % 5 == 0 ? std::numeric_limits<std::uint64_t>::max()
                             : random() >> random() % 64;
  };
  CallTimes before = one.meter->read();
  for (int round = 0; round < 1000; ++round) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      shm::CostCounts& costs = one.service.call_costs(i).all;
      costs.ticks = any();
      costs.count[any() % shm::kCostBuckets] = any();
    }
    one.service.control().service.rings_used = static_cast<std::uint32_t>(any());
    const CallTimes now = one.meter->read();
    ASSERT_GE(now.sum_s, before.sum_s);
    for (std::size_t i = 0; i < now.counts.size(); ++i) ASSERT_GE(now.counts[i], before.counts[i]);
    before = now;
  }
}

}  // namespace
}  // namespace ringside::consumer_test
