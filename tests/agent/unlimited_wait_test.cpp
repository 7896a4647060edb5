// Waits that last as long as a consumer lives.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

const std::uint64_t kAwaitedBytes = tested_ring_bytes();
// Many times the bounds that would apply to a limited wait.
constexpr std::chrono::milliseconds kLongWait(300);

void wait_for_live_consumers(const char* absent_timeout_ms) {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kAwaitedBytes).c_str(), 1);
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "10", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "forever", 1);
  setenv("RINGSIDE_ABSENT_TIMEOUT_MS", absent_timeout_ms, 1);
}

shm::RingMetadata& awaited_ring() {
  return own_segment().ring(0);
}

void fill_awaited_ring() {
  preallocate();
  while (awaited_ring().producer.producer_pos.load() + 16 <= kAwaitedBytes) RS_INFO("%ld", 1L);
}

// The descriptor of a lock as that of a live consumer: to the kernel, another open file is another
// owner. Closing it is the consumer's death.
int live_consumer() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = shm::kConsumerLockByte;
  lock.l_len = 1;
  const int fd = open(status().segment_path.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
  return fd;
}

// A log call whose ring is full, until `end` happens. It must wait until then.
void log_and_wait_until(const std::function<void()>& end) {
  std::atomic<bool> has_returned{false};
  std::thread actor([&] {
    std::this_thread::sleep_for(kLongWait);
    EXPECT_FALSE(has_returned.load());
    EXPECT_EQ(awaited_ring().counters.dropped_total.load(), 0U);
    end();
    wait_until([&] { return has_returned.load(); });
  });
  RS_INFO("waits %ld", 1L);
  has_returned.store(true);
  actor.join();
}

void free_all_space() {
  awaited_ring().consumer.consumer_pos.store(awaited_ring().producer.producer_pos.load());
}

PROCESS_TEST(UnlimitedWait, EndsWithSpace) {
  wait_for_live_consumers("1");
  fill_awaited_ring();
  const int consumer = live_consumer();
  log_and_wait_until(free_all_space);
  EXPECT_EQ(awaited_ring().counters.dropped_total.load(), 0U);
  EXPECT_EQ(awaited_ring().counters.blocked_count.load(), 1U);
  close(consumer);
}

PROCESS_TEST(UnlimitedWait, ContinuesWhileTheConsumerCannotWrite) {
  wait_for_live_consumers("1");
  fill_awaited_ring();
  const int consumer = live_consumer();
  own_segment().control().consumer.state.store(
      static_cast<std::uint32_t>(shm::ConsumerState::kStalled));
  log_and_wait_until(free_all_space);
  EXPECT_EQ(awaited_ring().counters.dropped_total.load(), 0U);
  close(consumer);
}

PROCESS_TEST(UnlimitedWait, EndsWhenTheConsumerDies) {
  wait_for_live_consumers("1");
  fill_awaited_ring();
  const int consumer = live_consumer();
  log_and_wait_until([consumer] { close(consumer); });
  const shm::CountersLine& counters = awaited_ring().counters;
  EXPECT_EQ(counters.dropped_consumer_absent.load(), 1U);
  for (int i = 0; i < 1000; ++i) RS_INFO("waits %ld", 1L);
  EXPECT_EQ(counters.dropped_total.load(), 1001U);
  EXPECT_EQ(counters.blocked_count.load(), 1U);
}

// The bound without a consumer counts from its death, not from the beginning of the wait.
PROCESS_TEST(UnlimitedWait, ASuccessorIsAwaitedForTheWholeBound) {
  wait_for_live_consumers("500");
  fill_awaited_ring();
  const int consumer = live_consumer();
  std::chrono::steady_clock::time_point death;
  log_and_wait_until([&] {
    death = std::chrono::steady_clock::now();
    close(consumer);
  });
  EXPECT_GE(std::chrono::steady_clock::now() - death, std::chrono::milliseconds(500));
  EXPECT_EQ(awaited_ring().counters.dropped_consumer_absent.load(), 1U);
}

PROCESS_TEST(UnlimitedWait, EndsWhenAToolChangesThePolicy) {
  wait_for_live_consumers("60000");
  fill_awaited_ring();
  const int consumer = live_consumer();
  log_and_wait_until([] {
    own_segment().control().service.overflow_policy.store(
        static_cast<std::uint32_t>(shm::OverflowPolicy::kDrop));
  });
  EXPECT_EQ(awaited_ring().counters.dropped_total.load(), 1U);
  close(consumer);
}

PROCESS_TEST(UnlimitedWait, IsAnOptionInBothLanguages) {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kAwaitedBytes).c_str(), 1);
  for (const bool in_c : {true, false}) {
    const int result = run_child([in_c] {
      if (in_c) {
        rs_options options{};
        options.struct_bytes = sizeof options;
        options.block_timeout_ms = RS_FOREVER;
        options.absent_timeout_ms = 1;
        ASSERT_EQ(rs_init_with(&options), 1);
      } else {
        Options options;
        options.live_consumer_timeout = forever;
        options.absent_timeout = std::chrono::milliseconds(1);
        ASSERT_EQ(init(options).state, State::live);
      }
      EXPECT_EQ(own_segment().control().service.block_timeout_ms.load(), 1U);
      fill_awaited_ring();
      const int consumer = live_consumer();
      log_and_wait_until(free_all_space);
      EXPECT_EQ(awaited_ring().counters.dropped_total.load(), 0U);
      close(consumer);
    });
    EXPECT_EQ(result, 0) << in_c;
  }
}

}  // namespace
}  // namespace ringside::test
