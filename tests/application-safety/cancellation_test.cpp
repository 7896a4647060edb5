// Cancelled threads: cancellation never takes effect in the middle of a log call.

#include <atomic>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

std::atomic<bool> g_returned{false};

void* log_although_cancelled(void*) {
  pthread_cancel(pthread_self());
  RS_INFO("the first record of the process %d", 1);
  g_returned = true;
  pthread_testcancel();
  return nullptr;
}

PROCESS_TEST(Cancellation, ALogCallIsNotACancellationPoint) {
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, log_although_cancelled, nullptr), 0);
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  EXPECT_EQ(result, PTHREAD_CANCELED) << "the program's own settings are restored";
  EXPECT_TRUE(g_returned.load());
  EXPECT_EQ(own_segment().data(0).size(), 1U);
  // The library's lock is free, and the ring was retired.
  EXPECT_EQ(own_segment().ring(0).identity.state.load(),
            static_cast<std::uint32_t>(shm::RingState::kRetired));
  RS_INFO("of another thread %d", 2);
  EXPECT_EQ(last_values(), std::vector<std::string>{"i32 2"});
}

void* fill_and_wait(void*) {
  for (int i = 0; i < 10'000; ++i) RS_INFO("%d", i);
  g_returned = true;
  pthread_testcancel();
  return nullptr;
}

PROCESS_TEST(Cancellation, AThreadThatWaitsForSpaceRecordsFirst) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "60000", 1);
  init();
  int next = 0;
  TestConsumer consumer(own_segment(), [&next](std::uint32_t, const Record& r) {
    if (r.is_data()) {
      EXPECT_EQ(r.values.at(0), "i32 " + std::to_string(next++));
    }
  });
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, fill_and_wait, nullptr), 0);
  wait_until([] {
    return own_segment().rings_used() == 1 &&
           own_segment().ring(0).producer.producer_pos.load() > 65536 - 64;
  });
  pthread_cancel(thread);
  usleep(20'000);  // it waits by now, or will wait: both are correct
  EXPECT_FALSE(g_returned.load());
  consumer.start();
  void* result = nullptr;
  ASSERT_EQ(pthread_join(thread, &result), 0);
  consumer.stop();
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_TRUE(g_returned.load());
  EXPECT_EQ(next, 10'000);
  EXPECT_EQ(status().dropped, 0U);
}

}  // namespace
}  // namespace ringside::test
