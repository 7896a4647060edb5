// The rings of many threads that start and end.

#include <atomic>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

std::uint32_t state_of(std::uint32_t ring) {
  return own_segment().ring(ring).identity.state.load(std::memory_order_acquire);
}

constexpr auto kRetired = static_cast<std::uint32_t>(shm::RingState::kRetired);
constexpr auto kActive = static_cast<std::uint32_t>(shm::RingState::kActive);

void log_on_a_thread(int number) {
  std::thread([number] { RS_INFO("thread %d", number); }).join();
}

PROCESS_TEST(ThreadRing, EveryThreadHasOneOfItsOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> arrived{0};
  for (int t = 0; t < 32; ++t) {
    threads.emplace_back([t, &arrived] {
      for (int i = 0; i < 1000; ++i) RS_INFO("%d %d", t, i);
      ++arrived;
      while (arrived.load() < 32) std::this_thread::yield();
    });
  }
  for (std::thread& t : threads) t.join();
  SegmentReader& segment = own_segment();
  ASSERT_EQ(segment.rings_used(), 32U);
  std::map<std::string, int> owners;
  std::map<std::uint64_t, int> streams;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::vector<Record> data = segment.data(i);
    ASSERT_EQ(data.size(), 1000U);
    ++owners[data[0].values[0]];
    ++streams[segment.ring(i).identity.stream_id];
    for (std::size_t k = 0; k < data.size(); ++k) {
      EXPECT_EQ(data[k].values[0], data[0].values[0]);
      EXPECT_EQ(data[k].values[1], "i32 " + std::to_string(k));
    }
  }
  EXPECT_EQ(owners.size(), 32U);
  EXPECT_EQ(streams.size(), 32U);
}

PROCESS_TEST(ThreadRing, RetiresWithItsThread) {
  RS_INFO("keeps ring 0");
  log_on_a_thread(1);
  EXPECT_EQ(state_of(0), kActive);
  EXPECT_EQ(state_of(1), kRetired);
  EXPECT_EQ(own_segment().data(1).size(), 1U);
}

PROCESS_TEST(ThreadRing, IsReusedOnlyOnceDrainedAndBooked) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  std::thread([] {
    for (int i = 0; i < 10'000; ++i) RS_INFO("%d", i);
  }).join();
  SegmentReader& segment = own_segment();
  shm::RingMetadata& ring = segment.ring(0);
  const std::uint64_t dropped = ring.counters.dropped_total.load();
  ASSERT_GT(dropped, 0U);
  log_on_a_thread(1);
  EXPECT_EQ(segment.rings_used(), 2U) << "nothing was drained yet";
  ring.consumer.consumer_pos.store(ring.producer.producer_pos.load());
  log_on_a_thread(2);
  EXPECT_EQ(segment.rings_used(), 3U) << "the consumer has not seen the generation";
  ring.consumer.generation.store(1);
  log_on_a_thread(3);
  EXPECT_EQ(segment.rings_used(), 4U) << "the drops were not booked";
  ring.consumer.booked_drops.store(dropped);
  const std::uint64_t start = ring.producer.producer_pos.load();
  log_on_a_thread(4);
  EXPECT_EQ(segment.rings_used(), 4U);
  EXPECT_EQ(ring.identity.generation.load(), 2U);
  EXPECT_EQ(ring.identity.start_pos, start);
  EXPECT_EQ(ring.identity.stream_id, 5U);
  EXPECT_EQ(ring.counters.dropped_total.load(), 0U);
  const std::vector<Record> records = segment.records(0);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].code, shm::kCodeClock);
  EXPECT_EQ(records[1].values[0], "i32 4");
  EXPECT_EQ(status().dropped, dropped) << "drops of a former owner stay counted";
}

PROCESS_TEST(ThreadRing, IsNotReusedWhileRecordsAreLeftInIt) {
  log_on_a_thread(1);
  shm::RingMetadata& ring = own_segment().ring(0);
  ring.consumer.generation.store(1);
  log_on_a_thread(2);
  EXPECT_EQ(own_segment().rings_used(), 2U);
  ASSERT_EQ(own_segment().data(0).size(), 1U);
  EXPECT_EQ(own_segment().data(0)[0].values[0], "i32 1");
  ring.consumer.consumer_pos.store(ring.producer.producer_pos.load());
  log_on_a_thread(3);
  EXPECT_EQ(own_segment().rings_used(), 2U);
  EXPECT_EQ(own_segment().data(0)[0].values[0], "i32 3");
}

PROCESS_TEST(ThreadRing, ThousandsOfThreadsShareAFewRings) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  constexpr int kThreads = kAddressSanitizer ? 4'000 : 20'000;
  init();
  std::vector<bool> seen(kThreads, false);
  TestConsumer consumer(own_segment(), [&seen](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    const int number = std::atoi(r.values.at(0).c_str() + 4);
    EXPECT_FALSE(seen.at(static_cast<std::size_t>(number)));
    seen.at(static_cast<std::size_t>(number)) = true;
  });
  for (int i = 0; i < kThreads; i += 4) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([number = i + t] { RS_INFO("%d", number); });
    for (std::thread& t : threads) t.join();
    consumer.poll();
  }
  EXPECT_EQ(own_segment().rings_used(), 4U);
  for (int i = 0; i < kThreads; ++i) ASSERT_TRUE(seen[static_cast<std::size_t>(i)]) << i;
  EXPECT_EQ(status().dropped + status().refused, 0U);
}

PROCESS_TEST(ThreadRing, ThreadsBeyondTheLimitAreRefusedAndCounted) {
  setenv("RINGSIDE_MAX_THREADS", "2", 1);
  RS_INFO("first ring");
  std::atomic<bool> done{false};
  std::atomic<bool> has_ring{false};
  std::thread second([&] {
    RS_INFO("second ring");
    has_ring = true;
    while (!done.load()) std::this_thread::yield();
  });
  while (!has_ring.load()) std::this_thread::yield();
  std::thread([] {
    for (int i = 0; i < 50; ++i) RS_INFO("third %d", i);
    const std::string text(100, 't');
    RS_INFO("third %s", text.c_str());
    EXPECT_FALSE(preallocate());
  }).join();
  EXPECT_EQ(own_segment().rings_used(), 2U);
  EXPECT_EQ(own_segment().control().losses.no_ring.load(), 51U);
  EXPECT_EQ(status().refused, 51U) << "preallocate() loses no record";
  EXPECT_NE(status().message.find("RINGSIDE_MAX_THREADS"), std::string::npos) << status().message;
  done = true;
  second.join();
  // The second thread's ring becomes free again.
  TestConsumer(own_segment()).poll();
  log_on_a_thread(4);
  EXPECT_EQ(status().refused, 51U);
}

}  // namespace
}  // namespace ringside::test
