// What a thread pays that got no ring.

#include <atomic>
#include <cstdlib>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

// Stands in for the C library's: the library's slow path begins and ends with a call of it.
static std::atomic<long> g_mask_calls{0};
extern "C" int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* former) noexcept {
  g_mask_calls.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>(syscall(SYS_rt_sigprocmask, how, wanted, former, 8)) == 0 ? 0 : EINVAL;
}

namespace ringside::test {
namespace {

PROCESS_TEST(ThreadLimit, AThreadBeyondItSeldomTakesTheSlowPath) {
  setenv("RINGSIDE_MAX_THREADS", "1", 1);
  RS_INFO("takes the only ring");
  constexpr int kRecords = 1'000'000;
  long calls = 0;
  std::thread([&calls] {
    const long before = g_mask_calls.load();
    for (int i = 0; i < kRecords; ++i) RS_INFO("refused %d", i);
    calls = g_mask_calls.load() - before;
  }).join();
  EXPECT_GT(calls, 0) << "the stand-in is not called: nothing is shown";
  EXPECT_LT(calls, kRecords / 10);
  EXPECT_EQ(own_segment().control().losses.no_ring.load(), static_cast<std::uint64_t>(kRecords));
  EXPECT_EQ(status().refused, static_cast<std::uint64_t>(kRecords));
}

PROCESS_TEST(ThreadLimit, AThreadBeyondItGetsARingThatBecomesFree) {
  setenv("RINGSIDE_MAX_THREADS", "1", 1);
  std::atomic<bool> leave{false};
  std::atomic<bool> has_ring{false};
  std::thread first([&] {
    RS_INFO("takes the only ring");
    has_ring = true;
    while (!leave.load()) std::this_thread::yield();
  });
  while (!has_ring.load()) std::this_thread::yield();
  RS_INFO("refused");
  EXPECT_EQ(status().refused, 1U);
  leave = true;
  first.join();
  TestConsumer(own_segment()).poll();
  wait_until([] { return preallocate(); });
  RS_INFO("recorded %d", 1);
  EXPECT_EQ(last_values(), std::vector<std::string>{"i32 1"});
}

}  // namespace
}  // namespace ringside::test
