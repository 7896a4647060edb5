// Statements that share the time of a ringside::Burst.

#include "libagent/include/ringside/burst.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/runtime_format.hpp"
#include "libagent/include/ringside/stream.hpp"
#include "libagent/include/ringside/text.hpp"
#include "shm-layout/record_head.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"

namespace ringside::test {
namespace {

std::vector<std::uint64_t> times(std::uint32_t ring = 0) {
  std::vector<std::uint64_t> all;
  for (const Record& record : own_segment().data(ring)) all.push_back(record.tsc);
  return all;
}

std::uint64_t clock_now() {
  return shm::head_tsc(shm::make_head(rs_clock(), 0));
}

void log_elsewhere() {
  RS_INFO("elsewhere");
}

void log_in_burst_of_caller(const ringside::Burst& rs_burst [[maybe_unused]]) {
  RS_INFO("in the caller's");
}

void log_in_a_burst() {
  ringside::Burst rs_burst;
  RS_INFO("inner");
}

PROCESS_TEST(Burst, StatementsOfAllStylesTakeTheTimeAtWhichItWasCreated) {
  volatile int level = RS_LEVEL_INFO;
  const std::string too_large(2'000'000, 'x');
  RS_INFO("before");
  const std::uint64_t earliest = clock_now();
  std::uint64_t latest = 0;
  {
    const ringside::Burst rs_burst;
    latest = clock_now();
    for (int i = 0; i < 2; ++i) {
      RS_INFO("printf %d", i);
      RS_FMT(INFO, "brace {}", i);
      RS_EVENT(INFO, "event", i);
      RS_STREAM(INFO) << "stream " << i;
      RS_LOG(level, "level %d", i);
      RS_TEXT(RS_LEVEL_INFO, std::to_string(i));
      RS_FMT_RUNTIME(RS_LEVEL_INFO, std::string("format {}"), i);
      RS_IF(true, RS_INFO("gated %d", i));
      RS_INFO("too large %s", too_large.c_str());
    }
  }
  RS_INFO("after");
  const std::vector<std::uint64_t> all = times();
  ASSERT_EQ(all.size(), 20U);
  for (std::size_t i = 1; i < 19; ++i) EXPECT_EQ(all[i], all[1]) << i;
  EXPECT_LT(all.front(), earliest);
  EXPECT_GE(all[1], earliest);
  EXPECT_LE(all[1], latest);
  EXPECT_GT(all.back(), latest);
}

PROCESS_TEST(Burst, RecordsKeepTheirOrderAndNothingElseChanges) {
  {
    ringside::Burst rs_burst;
    for (int i = 0; i < 3; ++i) RS_INFO("%d", i);
  }
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(data[static_cast<std::size_t>(i)].values,
              std::vector<std::string>{"i32 " + std::to_string(i)});
  }
}

PROCESS_TEST(Burst, OnlyStatementsInItsScopeInTheSourceTakeItsTime) {
  ringside::Burst rs_burst;
  RS_INFO("here");
  log_elsewhere();
  log_in_burst_of_caller(rs_burst);
  RS_INFO("here again");
  const std::vector<std::uint64_t> all = times();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_GT(all[1], all[0]);
  EXPECT_EQ(all[2], all[0]);
  EXPECT_EQ(all[3], all[0]);
}

PROCESS_TEST(Burst, AnInnerOneHasItsOwnTimeAndTheOuterOneGoesOn) {
  ringside::Burst rs_burst;
  RS_INFO("outer");
  log_in_a_burst();
  RS_INFO("outer again");
  const std::vector<std::uint64_t> all = times();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_GT(all[1], all[0]);
  EXPECT_EQ(all[2], all[0]);
}

PROCESS_TEST(Burst, LambdasNeedNotCaptureIt) {
  std::function<void()> later;
  {
    ringside::Burst rs_burst;
    const auto log = [] { RS_INFO("in a lambda"); };
    RS_INFO("beside it");
    log();
    std::thread(log).join();
    later = log;
  }
  later();
  const std::vector<std::uint64_t> all = times();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_NE(all[0], 0U);
  EXPECT_EQ(all[1], all[0]);
  EXPECT_EQ(all[2], 0U) << "after the scope the consumer sets the time";
  EXPECT_EQ(times(1), std::vector<std::uint64_t>{0}) << "in another thread too";
}

PROCESS_TEST(Burst, SwitchesAndTheConsumersClockRemain) {
  ringside::Burst rs_burst;
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "by the consumer");
  set_level(Level::error);
  RS_INFO("disabled");
  set_level(Level::trace);
  EXPECT_EQ(times(), std::vector<std::uint64_t>{0});
}

PROCESS_TEST(Burst, AHandlersOneLeavesThatOfTheInterruptedCode) {
  ringside::Burst rs_burst;
  RS_INFO("before");
  in_handler([] {
    RS_INFO("this lambda stands in the scope");
    log_in_a_burst();
  });
  RS_INFO("after");
  const std::vector<std::uint64_t> all = times();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1], all[0]);
  EXPECT_GT(all[2], all[0]);
  EXPECT_EQ(all[3], all[0]);
}

PROCESS_TEST(Burst, IsMeasuredWithoutTheTimeSinceItBegan) {
  setenv("RINGSIDE_COST_SAMPLING", "1", 1);
  RS_INFO("first");
  ringside::Burst rs_burst;
  const std::uint64_t begin = rs_clock();
  while (rs_clock() - begin < 200'000'000) {
  }
  for (int i = 0; i < 20; ++i) RS_INFO("%d", i);
  const shm::CallCosts& costs = own_segment().call_costs(0);
  std::uint64_t measured = 0;
  for (const auto& count : costs.all.count) measured += count.load();
  EXPECT_GT(measured, 1U);
  EXPECT_LT(costs.all.ticks.load(), 200'000'000U);
}

}  // namespace
}  // namespace ringside::test
