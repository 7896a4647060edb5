// Statements whose records get their time from the consumer.

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/c_statements.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

bool is_by_consumer(const std::string& format) {
  return (own_segment().site(format).flags & shm::kSiteConsumerClock) != 0;
}

PROCESS_TEST(ConsumerClock, OneStatementRecordsNoTimeAndTheDictionaryMarksIt) {
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "by the consumer %d", 1);
  RS_INFO("by the thread %d", 2);
  c_log_consumer_clock(3);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data[0].tsc, 0U);
  EXPECT_EQ(data[0].values, Values{"i32 1"});
  EXPECT_NE(data[1].tsc, 0U);
  EXPECT_EQ(data[2].tsc, 0U);
  EXPECT_EQ(data[2].values, Values{"i32 3"});
  EXPECT_TRUE(is_by_consumer("by the consumer %d"));
  EXPECT_FALSE(is_by_consumer("by the thread %d"));
  EXPECT_TRUE(is_by_consumer("c by the consumer %d"));
}

PROCESS_TEST(ConsumerClock, OpensAStreamWithAClockRecordAllTheSame) {
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "first of its thread");
  const std::vector<Record> all = own_segment().records(0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].code, shm::kCodeClock);
  EXPECT_NE(all[0].words[0], 0U) << "ticks";
}

PROCESS_TEST(ConsumerClock, TheEnvironmentChoosesItForTheWholeProcess) {
  setenv("RINGSIDE_CLOCK", "consumer", 1);
  RS_INFO("plain %d", 1);
  const std::string large(2'000'000, 'x');
  RS_INFO("too large %s", large.c_str());
  for (const Record& record : own_segment().data(0)) EXPECT_EQ(record.tsc, 0U);
  EXPECT_EQ(own_segment().data(0).size(), 2U);
  EXPECT_TRUE(is_by_consumer("plain %d"));
}

PROCESS_TEST(ConsumerClock, LevelsSwitchItOffAndOnAgainWithoutAClock) {
  Options options;
  options.clock = Clock::consumer;
  init(options);
  const auto log = [] { RS_INFO("switched"); };
  log();
  const std::uint32_t id = own_segment().site("switched").id;
  EXPECT_EQ(own_segment().site_switch(id), shm::kSwitchOnConsumerClock);
  set_level(Level::error);
  EXPECT_EQ(own_segment().site_switch(id), shm::kSwitchOff);
  log();
  set_level(Level::trace);
  log();
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data[1].tsc, 0U);
}

PROCESS_TEST(ConsumerClock, GoesOnOverLapsAndThroughAFullRing) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  std::uint64_t next = 0;
  std::uint64_t clocks = 0;
  std::uint64_t lost = 0;
  preallocate();
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& r) {
    if (r.code == shm::kCodeClock) ++clocks;
    if (r.code == shm::kCodeDrop) {
      next += r.words[0];
      lost += r.words[0];
    }
    if (!r.is_data()) return;
    EXPECT_EQ(r.tsc, 0U);
    EXPECT_EQ(r.values, Values{"u64 " + std::to_string(next)});
    ++next;
  });
  constexpr std::uint64_t kRecords = 40'000;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "%lu", static_cast<unsigned long>(i));
    if (i % 5000 == 4999) consumer.poll();
  }
  consumer.poll();
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(next + own_segment().ring(0).counters.dropped_total.load() - lost, kRecords);
  EXPECT_GE(clocks, 8U);
}

}  // namespace
}  // namespace ringside::test
