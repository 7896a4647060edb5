// A full ring: what is dropped, counted and marked, and how long a log call waits.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/consumer_presence.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

const std::uint64_t kRing = tested_ring_bytes();

void configure(const char* policy, const char* timeout_ms = "50") {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kRing).c_str(), 1);
  setenv("RINGSIDE_OVERFLOW", policy, 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", timeout_ms, 1);
}

shm::RingMetadata& ring() {
  return own_segment().ring(own_segment().my_ring());
}

std::uint64_t blocked() {
  return ring().counters.blocked_count.load();
}
std::uint64_t dropped() {
  return ring().counters.dropped_total.load();
}

// 16-byte records of increasing number, until the ring is full to the byte.
int fill() {
  preallocate();
  RS_INFO("8 bytes");
  int count = 0;
  while (ring().producer.producer_pos.load() + 16 <= kRing) RS_INFO("%ld", long{count++});
  return count;
}

void log_number(long number) {
  RS_INFO("number %ld", number);
}

void release_all() {
  ring().consumer.consumer_pos.store(ring().producer.producer_pos.load());
}

PROCESS_TEST(Overflow, DropCountsAndMarksThePlace) {
  configure("drop");
  fill();
  for (int i = 0; i < 1234; ++i) log_number(i);
  EXPECT_EQ(dropped(), 1234U);
  EXPECT_EQ(status().dropped, 1234U);
  EXPECT_EQ(blocked(), 0U);
  EXPECT_EQ(own_segment().data(0).back().values[0].substr(0, 3), "i64");
  release_all();
  log_number(5000);
  log_number(5001);
  std::vector<Record> records = own_segment().records(0);
  std::erase_if(records, [](const Record& r) { return r.code == shm::kCodeClock; });
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].code, shm::kCodeDrop);
  EXPECT_EQ(records[0].words[0], 1234U);
  EXPECT_EQ(records[1].values[0], "i64 5000");
  EXPECT_EQ(records[2].values[0], "i64 5001");
}

PROCESS_TEST(Overflow, EveryGapIsMarkedWithItsOwnCount) {
  configure("drop");
  fill();
  std::vector<std::uint64_t> marks;
  for (const std::uint64_t gap : {1U, 10U, 3U}) {
    const std::uint64_t before = dropped();
    while (dropped() < before + gap) log_number(1);
    release_all();
    log_number(-1);
    for (const Record& r : own_segment().records(0)) {
      if (r.code == shm::kCodeDrop) marks.push_back(r.words[0]);
    }
    release_all();
  }
  EXPECT_EQ(marks, (std::vector<std::uint64_t>{1, 10, 3}));
}

PROCESS_TEST(Overflow, DropReportsWhetherAConsumerWasThere) {
  configure("drop");
  fill();
  log_number(1);
  EXPECT_EQ(ring().counters.dropped_consumer_absent.load(), 1U);
  EXPECT_EQ(ring().counters.dropped_ring_full.load(), 0U);
  own_segment().control().consumer.state.store(
      static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  log_number(2);
  EXPECT_EQ(ring().counters.dropped_consumer_absent.load(), 1U);
  EXPECT_EQ(ring().counters.dropped_ring_full.load(), 1U);
}

PROCESS_TEST(Overflow, EachMarkReportsTheCauseOfItsOwnGap) {
  configure("drop");
  fill();
  log_number(1);
  release_all();
  log_number(2);
  while (dropped() == 1) log_number(3);
  own_segment().control().consumer.state.store(
      static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  release_all();
  log_number(4);  // reports the second drop: no consumer was there
  while (dropped() == 2) log_number(5);
  release_all();
  log_number(6);  // reports the third drop: the consumer was there
  std::uint64_t cause = 0;
  for (const Record& r : own_segment().records(0)) {
    if (r.code == shm::kCodeDrop) cause = r.words[1];
  }
  EXPECT_EQ(cause, static_cast<std::uint64_t>(shm::LossCause::kRingFull));
}

PROCESS_TEST(Overflow, AQuarantinedRingIsNotWaitedFor) {
  configure("block");
  fill();
  ring().consumer.quarantine.store(1);
  for (int i = 0; i < 10; ++i) log_number(i);
  EXPECT_EQ(blocked(), 0U);
  EXPECT_EQ(ring().counters.dropped_quarantined.load(), 10U);
  EXPECT_EQ(dropped(), 10U);
}

PROCESS_TEST(Overflow, BlockWaitsItsBoundOnceForAnAbsentConsumer) {
  configure("block");
  fill();
  const auto start = std::chrono::steady_clock::now();
  log_number(0);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_EQ(dropped(), 1U);
  EXPECT_EQ(blocked(), 1U);
  for (int i = 0; i < 10'000; ++i) log_number(i);
  EXPECT_EQ(dropped(), 10'001U);
  EXPECT_EQ(blocked(), 1U);
  EXPECT_EQ(ring().counters.dropped_consumer_absent.load(), 10'001U);
}

PROCESS_TEST(Overflow, OneThreadsFailedWaitSparesAllThreads) {
  configure("block");
  fill();
  log_number(0);
  ASSERT_EQ(blocked(), 1U);
  std::thread([] {
    fill();
    for (int i = 0; i < 100; ++i) log_number(i);
    EXPECT_EQ(blocked(), 0U);
    EXPECT_EQ(dropped(), 100U);
  }).join();
}

PROCESS_TEST(Overflow, BlockArmsAgainWhenTheConsumerMoves) {
  configure("block");
  fill();
  log_number(0);
  log_number(1);
  ASSERT_EQ(blocked(), 1U);
  own_segment().control().consumer.heartbeat.fetch_add(1);
  log_number(2);
  EXPECT_EQ(blocked(), 2U);
  for (int i = 0; i < 1000; ++i) log_number(i);
  EXPECT_EQ(blocked(), 2U);
  EXPECT_EQ(dropped(), 1003U);
}

// A consumer that cannot write keeps polling, but releases nothing: the wait must happen once, not
// in each call.
PROCESS_TEST(Overflow, AStalledConsumerCostsTheBoundOnce) {
  configure("block");
  fill();
  shm::ConsumerLine& consumer = own_segment().control().consumer;
  consumer.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kStalled));
  for (int i = 0; i < 100; ++i) {
    consumer.heartbeat.fetch_add(1);
    log_number(i);
  }
  EXPECT_EQ(blocked(), 1U);
  EXPECT_EQ(dropped(), 100U);
  EXPECT_EQ(ring().counters.dropped_ring_full.load(), 100U);
  consumer.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  log_number(100);
  EXPECT_EQ(blocked(), 2U);
}

PROCESS_TEST(Overflow, PolicyMayChangeWhileRunning) {
  configure("block", "3600000");
  fill();
  own_segment().control().service.overflow_policy.store(
      static_cast<std::uint32_t>(shm::OverflowPolicy::kDrop));
  log_number(0);
  EXPECT_EQ(dropped(), 1U);
  EXPECT_EQ(blocked(), 0U);
}

// Other processes can write to the segment: they can shorten the wait, but not prolong it.
PROCESS_TEST(Overflow, OtherProcessesCannotProlongTheBound) {
  configure("block");
  fill();
  auto& bound_ms = own_segment().control().service.block_timeout_ms;
  bound_ms.store(UINT32_MAX);
  log_number(0);  // would wait for a month
  EXPECT_EQ(dropped(), 1U);
  EXPECT_EQ(blocked(), 1U);
}

PROCESS_TEST(Overflow, ABoundOfZeroDropsAtOnce) {
  configure("block", "0");
  fill();
  for (int i = 0; i < 100; ++i) log_number(i);
  EXPECT_EQ(dropped(), 100U);
}

// The lock of a live consumer: to the kernel, another open file is another owner.
class ConsumerLock {
 public:
  ConsumerLock(const std::string& path, std::int64_t byte, short type)
      : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    EXPECT_EQ(fcntl(fd_, F_OFD_SETLK, &lock), 0) << path;
  }
  ~ConsumerLock() { close(fd_); }
  ConsumerLock(const ConsumerLock&) = delete;
  ConsumerLock& operator=(const ConsumerLock&) = delete;

  static ConsumerLock of_segment() {
    return {status().segment_path, shm::kConsumerLockByte, F_WRLCK};
  }
  static ConsumerLock of_presence() {
    return {shm_dir() + "/" + std::string(shm::kPresenceName), shm::presence_byte(geteuid()),
            F_RDLCK};
  }

 private:
  int fd_;
};

void wait_out_a_live_consumer() {
  const auto start = std::chrono::steady_clock::now();
  log_number(0);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(300));
  EXPECT_EQ(dropped(), 1U);
  EXPECT_EQ(blocked(), 1U);
  for (int i = 0; i < 1000; ++i) log_number(i);
  // The consumer polls, but does not reach this ring.
  own_segment().control().consumer.heartbeat.fetch_add(1);
  for (int i = 0; i < 1000; ++i) log_number(i);
  EXPECT_EQ(dropped(), 2001U);
  EXPECT_EQ(blocked(), 1U);
  EXPECT_EQ(ring().counters.dropped_ring_full.load(), 2001U);
}

PROCESS_TEST(Overflow, ALiveConsumerIsWaitedForUpToItsOwnBoundOnce) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "300", 1);
  configure("block", "1");
  fill();
  const ConsumerLock consumer = ConsumerLock::of_segment();
  wait_out_a_live_consumer();
}

PROCESS_TEST(Overflow, OptionsOfCBoundTheWaitForALiveConsumer) {
  configure("block", "1");
  rs_options options{};
  options.struct_bytes = sizeof options;
  options.live_consumer_timeout_ms = 300;
  ASSERT_EQ(rs_init_with(&options), 1);
  fill();
  const ConsumerLock consumer = ConsumerLock::of_segment();
  wait_out_a_live_consumer();
}

PROCESS_TEST(Overflow, ALiveConsumerIsWaitedForBeforeItHasTheSegment) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "300", 1);
  configure("block", "1");
  fill();
  const ConsumerLock consumer = ConsumerLock::of_presence();
  wait_out_a_live_consumer();
}

PROCESS_TEST(Overflow, ALiveConsumerOfAnotherUserIsAbsent) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "3600000", 1);
  configure("block", "1");
  fill();
  const ConsumerLock other(shm_dir() + "/" + std::string(shm::kPresenceName),
                           shm::presence_byte(geteuid() + 1), F_RDLCK);
  log_number(0);
  EXPECT_EQ(ring().counters.dropped_consumer_absent.load(), 1U);
}

PROCESS_TEST(Overflow, ABusyConsumerLosesNothing) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "3600000", 1);
  configure("block", "1");
  fill();
  const ConsumerLock consumer = ConsumerLock::of_presence();
  shm::RingMetadata& full = ring();
  std::thread busy([&full] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    full.consumer.consumer_pos.store(full.producer.producer_pos.load());
  });
  log_number(0);
  busy.join();
  EXPECT_EQ(dropped(), 0U);
  EXPECT_EQ(blocked(), 1U);
}

PROCESS_TEST(Overflow, AConsumerThatDiesIsAbsent) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "3600000", 1);
  configure("block", "1");
  fill();
  auto lock = std::make_unique<ConsumerLock>(status().segment_path, shm::kConsumerLockByte,
                                             static_cast<short>(F_WRLCK));
  std::thread dying([&lock] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    lock.reset();
  });
  log_number(0);  // would wait for an hour
  dying.join();
  EXPECT_EQ(ring().counters.dropped_consumer_absent.load(), 1U);
}

// A service may have closed its standard streams.
PROCESS_TEST(Overflow, AskingForTheConsumerTakesNoStandardStream) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "300", 1);
  configure("block", "1");
  fill();
  const ConsumerLock consumer = ConsumerLock::of_segment();
  const int saved = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  log_number(0);
  EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
  dup2(saved, STDIN_FILENO);
  EXPECT_EQ(dropped(), 1U);
}

PROCESS_TEST(Overflow, ASlowConsumerLosesNothing) {
  configure("block", "60000");
  preallocate();
  long next = 0;
  TestConsumer consumer(own_segment(), [&next](std::uint32_t, const Record& r) {
    if (r.is_data()) {
      EXPECT_EQ(r.values[0], "i64 " + std::to_string(next++));
    }
  });
  consumer.start([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  for (long i = 0; i < 100'000; ++i) log_number(i);
  consumer.stop();
  EXPECT_EQ(next, 100'000);
  EXPECT_EQ(dropped(), 0U);
  EXPECT_GT(blocked(), 0U);
}

PROCESS_TEST(Overflow, SeveralThreadsLoseNothingToASlowConsumer) {
  configure("block", "60000");
  init();
  std::vector<long> next(4, 0);
  TestConsumer consumer(own_segment(), [&next](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    const auto thread = static_cast<std::size_t>(std::atol(r.values[0].c_str() + 4));
    EXPECT_EQ(r.values[1], "i64 " + std::to_string(next.at(thread)++));
  });
  consumer.start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (long i = 0; i < 30'000; ++i) RS_INFO("%d %ld", t, i);
    });
  }
  for (std::thread& t : threads) t.join();
  consumer.stop();
  EXPECT_EQ(next, std::vector<long>(4, 30'000));
  EXPECT_EQ(status().dropped, 0U);
}

}  // namespace
}  // namespace ringside::test
