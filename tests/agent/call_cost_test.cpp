// Measured log calls: how many, which ones, and that measuring changes nothing else.

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/call_costs.hpp"
#include "tests/agent/c_statements.h"
#include "tests/agent/measured_calls.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

std::size_t median_bucket(const shm::CostCounts& counts) {
  std::uint64_t left = sum(counts) / 2;
  for (std::size_t i = 0; i < shm::kCostBuckets; ++i) {
    const std::uint64_t count = counts.count[i].load();
    if (left < count) return i;
    left -= count;
  }
  return shm::kCostBuckets;
}

TEST(CostBucket, HoldsTheTicksWithinItsBounds) {
  for (std::size_t i = 0; i < shm::kCostBuckets; ++i) {
    const std::uint64_t begin = shm::cost_bucket_begin(i);
    EXPECT_EQ(shm::cost_bucket(begin), i);
    EXPECT_LT(begin, shm::cost_bucket_begin(i + 1));
    EXPECT_EQ(shm::cost_bucket(shm::cost_bucket_begin(i + 1) - 1), i);
  }
}

PROCESS_TEST(CallCost, NothingIsMeasuredByDefault) {
  RS_INFO("one");
  EXPECT_EQ(own_segment().header().cost_sampling, 0U);
  EXPECT_EQ(own_segment().layout().call_costs_offset, 0U);
  for (const shm::Region& region : own_segment().header().regions) {
    EXPECT_NE(region.kind, shm::RegionKind::kCallCosts);
  }
}

void expect_all_records(const char* one_in, std::uint64_t calls) {
  measure_one_in(one_in);
  preallocate();
  std::uint64_t next = 0;
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    ASSERT_EQ(r.values.at(0), "u64 " + std::to_string(next));
    ++next;
  });
  for (std::uint64_t i = 0; i < calls; ++i) {
    log_of_all_sizes(i);
    if (i % 100 == 99) consumer.poll();
  }
  consumer.poll();
  EXPECT_EQ(next, calls);
  EXPECT_EQ(status().dropped, 0U);
  expect_one_in(std::strtoull(one_in, nullptr, 10), calls, measured());
}

PROCESS_TEST(CallCost, EveryCallOfOneInOne) {
  expect_all_records("1", 20'000);
}
PROCESS_TEST(CallCost, OneInTwo) {
  expect_all_records("2", 20'000);
}
PROCESS_TEST(CallCost, OneInSeven) {
  expect_all_records("7", 40'000);
}
PROCESS_TEST(CallCost, OneInAThousand) {
  expect_all_records("1000", 200'000);
}

// Sizes that alternate, so that a choice by bytes, or of every n-th call, would prefer one of them.
PROCESS_TEST(CallCost, SmallAndLargeRecordsHaveTheSameChance) {
  measure_one_in("20");
  preallocate();
  TestConsumer consumer(own_segment());
  const std::string text(500, 't');
  std::uint64_t small = 0;
  std::uint64_t large = 0;
  std::uint64_t before = 0;
  constexpr std::uint64_t kCalls = 40'000;
  const auto added = [&before] {
    const std::uint64_t now = measured();
    return now - std::exchange(before, now);
  };
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    RS_INFO("nothing but a head");
    small += added();
    RS_INFO("%s", text.c_str());
    large += added();
    if (i % 50 == 0) consumer.poll();
  }
  expect_one_in(20, kCalls, small);
  expect_one_in(20, kCalls, large);
}

// Log calls leave the same bytes at the same places, measured or not.
PROCESS_TEST(CallCost, TheRingHoldsTheSameBytes) {
  const auto codes_and_places = [] {
    std::string text;
    for (int i = 0; i < 1500; ++i) log_of_all_sizes(static_cast<std::uint64_t>(i));
    for (const Record& r : own_segment().records(0)) {
      text += std::to_string(r.code) + "@" + std::to_string(r.pos) + " ";
    }
    return text;
  };
  std::vector<std::string> found;
  for (const char* one_in : {"0", "1", "3"}) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    ASSERT_EQ(run_child([&] {
                setenv("RINGSIDE_RING_BYTES", "1048576", 1);
                setenv("RINGSIDE_COST_SAMPLING", one_in, 1);
                const std::string text = codes_and_places();
                const auto digest = std::to_string(std::hash<std::string>()(text));
                ASSERT_GT(text.size(), 1000U);
                ASSERT_GT(write(pipe_ends[1], digest.data(), digest.size()), 0);
              }),
              0);
    close(pipe_ends[1]);
    char digest[32] = {};
    ASSERT_GT(read(pipe_ends[0], digest, sizeof digest - 1), 0);
    close(pipe_ends[0]);
    found.emplace_back(digest);
  }
  EXPECT_EQ(found[1], found[0]);
  EXPECT_EQ(found[2], found[0]);
}

PROCESS_TEST(CallCost, ARecordMayEndExactlyWhereTheRingDoes) {
  measure_one_in("1", "drop");
  preallocate();
  const std::atomic<std::uint64_t>& published = own_segment().ring(0).producer.producer_pos;
  RS_INFO("8 bytes");
  std::uint64_t calls = 1;
  for (; published.load() + 16 <= 65536; ++calls) RS_INFO("%ld", 1L);
  EXPECT_EQ(published.load(), 65536U);
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(measured(), calls);
}

PROCESS_TEST(CallCost, CallsWhoseRecordIsDroppedAreMeasuredToo) {
  for (const char* one_in : {"1", "7"}) {
    ASSERT_EQ(run_child([one_in] {
                measure_one_in(one_in, "drop");
                for (int i = 0; i < 30'000; ++i) RS_INFO("%d", i);
                EXPECT_GT(status().dropped, 20'000U);
                expect_one_in(std::strtoull(one_in, nullptr, 10), 30'000, measured());
                EXPECT_EQ(own_segment().call_costs(0).all.waited.load(), 0U);
              }),
              0);
  }
}

PROCESS_TEST(CallCost, AWaitForSpaceCountsAndIsReported) {
  measure_one_in("1");
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "20", 1);
  std::uint64_t calls = 0;
  while (status().dropped == 0) {
    RS_INFO("not drained %d", 1);
    ++calls;
  }
  const shm::CostCounts& costs = own_segment().call_costs(0).all;
  EXPECT_EQ(sum(costs), calls);
  EXPECT_EQ(costs.waited.load(), 1U);
  // The wait is bounded by CLOCK_MONOTONIC; the two clocks differ by less than this.
  const std::uint64_t waited_ticks = own_segment().header().tsc_frequency_hz / 1000 * 15;
  EXPECT_GE(costs.ticks.load(), waited_ticks);
  std::uint64_t as_dear = 0;
  for (std::size_t i = shm::cost_bucket(waited_ticks); i < shm::kCostBuckets; ++i) {
    as_dear += costs.count[i].load();
  }
  EXPECT_GE(as_dear, 1U);
}

PROCESS_TEST(CallCost, RecordsThatAreOverwrittenStayWholeAndNumbered) {
  measure_one_in("1", "overwrite");
  for (std::uint64_t i = 0; i < 20'000; ++i) log_of_all_sizes(i);
  const shm::ProducerLine& line = own_segment().ring(0).producer;
  const shm::OldestRecords oldest = shm::load_oldest(line.oldest).value();
  std::uint64_t next = oldest.sequence;
  for (const Record& r : own_segment().records(0, oldest.pos, line.producer_pos.load())) {
    if (!r.is_data()) continue;
    EXPECT_EQ(r.values.at(0), "u64 " + std::to_string(next));
    ++next;
  }
  EXPECT_EQ(next, 20'000U);
  EXPECT_EQ(measured(), 20'000U);
}

PROCESS_TEST(CallCost, CutRecordsAndThoseOfC) {
  measure_one_in("1");
  c_log_integers();
  c_log_others();
  const std::string text(100'000, 'c');
  c_log_large(text.c_str());
  RS_INFO("%s", text.c_str());
  RS_INFO("and one more %d", 1);
  EXPECT_EQ(own_segment().data(0).size(), 11U);
  EXPECT_EQ(measured(), 11U);
}

PROCESS_TEST(CallCost, PreallocatingIsNotALogCall) {
  measure_one_in("1");
  ASSERT_TRUE(preallocate());
  EXPECT_EQ(measured(), 0U);
  RS_INFO("one");
  EXPECT_EQ(measured(), 1U);
}

PROCESS_TEST(CallCost, TheConsumersClockIsMeasuredFromTheSlowPathOn) {
  measure_one_in("1");
  setenv("RINGSIDE_CLOCK", "consumer", 1);
  for (int i = 0; i < 1000; ++i) RS_INFO("%d", i);
  EXPECT_EQ(measured(), 1000U);
  // A call without a start time must not count as one that started at tick 0.
  EXPECT_LT(own_segment().call_costs(0).all.ticks.load(), rs_clock());
}

PROCESS_TEST(CallCost, AnotherOwnerOfARingBeginsAtZero) {
  measure_one_in("1");
  init();
  TestConsumer consumer(own_segment());
  const auto log_on_a_thread = [&consumer](int calls) {
    std::thread([calls] {
      for (int i = 0; i < calls; ++i) RS_INFO("%d", i);
      EXPECT_EQ(measured(own_segment().my_ring()), static_cast<std::uint64_t>(calls));
    }).join();
    consumer.poll();
  };
  for (const int calls : {100, 30, 7}) log_on_a_thread(calls);
  ASSERT_EQ(own_segment().rings_used(), 1U);
  EXPECT_EQ(sum(own_segment().call_costs(0).all), 137U)
      << "of all threads, including those that have ended";
}

PROCESS_TEST(CallCost, AForkedChildMeasuresItsOwn) {
  measure_one_in("1");
  for (int i = 0; i < 10; ++i) RS_INFO("%d", i);
  EXPECT_EQ(run_child([] {
              for (int i = 0; i < 3; ++i) RS_INFO("%d", i);
              EXPECT_EQ(measured(), 3U);
            }),
            0);
  RS_INFO("on");
  EXPECT_EQ(measured(), 11U);
}

// Compares the order of magnitude only: other processes use the processor too.
PROCESS_TEST(CallCost, ALongTextCostsMoreThanNothing) {
  setenv("RINGSIDE_RING_BYTES", "4194304", 1);
  setenv("RINGSIDE_COST_SAMPLING", "1", 1);
  preallocate();
  TestConsumer consumer(own_segment());
  const std::string text((1U << 20) - 12, 't');
  std::thread([] {
    for (int i = 0; i < 200; ++i) RS_INFO("nothing");
  }).join();
  for (int i = 0; i < 200; ++i) {
    RS_INFO("%s", text.c_str());
    consumer.poll();
  }
  EXPECT_EQ(measured(0), 200U);
  EXPECT_EQ(measured(1), 200U);
  const std::size_t longs = median_bucket(own_segment().call_costs(0).all);
  const std::size_t nothings = median_bucket(own_segment().call_costs(1).all);
  EXPECT_GT(longs, nothings + 8) << "four times as much is 8 buckets";
}

}  // namespace
}  // namespace ringside::test
