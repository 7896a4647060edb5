// flush() returns whether every record is in the file.

#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

using std::chrono::milliseconds;

PROCESS_TEST(Flush, IsDoneWhenNothingWasEverRecorded) {
  EXPECT_TRUE(flush(milliseconds(0)));
  EXPECT_TRUE(segments_in(shm_dir()).empty());
  init();
  EXPECT_TRUE(flush(milliseconds(0)));
}

PROCESS_TEST(Flush, FailsWithoutAConsumer) {
  RS_INFO("waits for a consumer");
  EXPECT_FALSE(flush(milliseconds(0)));
  EXPECT_FALSE(flush(milliseconds(-5)));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(flush(milliseconds(30)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(30));
}

PROCESS_TEST(Flush, IsDoneOnceTheConsumerAnswers) {
  RS_INFO("drained");
  std::size_t seen = 0;
  TestConsumer consumer(own_segment(), [&seen](std::uint32_t, const Record& r) {
    if (r.is_data()) ++seen;
  });
  consumer.start();
  EXPECT_TRUE(flush(milliseconds(60'000)));
  RS_INFO("drained as well");
  EXPECT_TRUE(flush(milliseconds::max())) << "the longest timeout must not become a short one";
  consumer.stop();
  EXPECT_EQ(seen, 2U);
}

PROCESS_TEST(Flush, AnAnswerToAnEarlierRequestIsIgnored) {
  RS_INFO("one");
  shm::ControlPage& control = own_segment().control();
  EXPECT_FALSE(flush(milliseconds(0)));
  control.consumer.flush_done.store(control.service.flush_request.load());
  EXPECT_FALSE(flush(milliseconds(1)));
  control.consumer.flush_done.store(control.service.flush_request.load() + 1);
  EXPECT_EQ(rs_flush(0), 1);
}

long sleeps_of_this_thread() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

// A thousand services may wait for one consumer, which needs the processors.
PROCESS_TEST(Flush, AWaitThatLastsWakesUpRarely) {
  RS_INFO("waits for a consumer");
  for (bool (*const wait)(milliseconds) noexcept : {flush, flush_durable, rotate}) {
    const long before = sleeps_of_this_thread();
    EXPECT_FALSE(wait(milliseconds(500)));
    EXPECT_LT(sleeps_of_this_thread() - before, 100);
  }
}

}  // namespace
}  // namespace ringside::test
