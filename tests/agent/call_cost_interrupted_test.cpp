// Measured log calls that are interrupted by other log calls, or run beside other threads' measured
// calls.

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/time.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/measured_calls.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

// A record written step by step, so that a handler can run between the steps.
struct ManualRecord {
  std::uint64_t tsc = 0;
  std::uint64_t start = rs_reserve(RS_SWITCH_ON, 8, &tsc);
  void finish(std::uint32_t site) const {
    const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site;
    std::memcpy(rs_place(start), &head, sizeof head);
    rs_publish(start, 8);
  }
};

PROCESS_TEST(CallCostInterrupted, ACallThatIsInterruptedByAnotherIsMeasuredAndTheOtherIsNot) {
  measure_one_in("1");
  preallocate();
  RS_INFO("manual");
  const std::uint32_t site = own_segment().site("manual").id;
  const std::uint64_t before = measured();
  const ManualRecord outer;
  in_handler([] {
    for (int i = 0; i < 5; ++i) RS_INFO("nested %d", i);
  });
  EXPECT_EQ(measured(), before);
  outer.finish(site);
  EXPECT_EQ(measured(), before + 1);
  RS_INFO("after them");
  EXPECT_EQ(measured(), before + 2);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 8U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(data[2 + i].values, std::vector<std::string>{"i32 " + std::to_string(i)});
  }
}

// The bytes reserved after the measured record are then the first of the next lap.
PROCESS_TEST(CallCostInterrupted, ANestedRecordThatStartsANewLapDoesNotMoveTheMeasuredOne) {
  constexpr std::uint64_t kRing = 65536;
  measure_one_in("1", "drop");
  preallocate();
  SegmentReader& segment = own_segment();
  std::uint64_t lap_start = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (r.code == shm::kCodeClock) lap_start = r.pos;
  });
  const std::atomic<std::uint64_t>& published = segment.ring(0).producer.producer_pos;
  RS_INFO("manual too");
  const std::uint32_t site = segment.site("manual too").id;
  for (int lap = 1; lap <= 5; ++lap) {
    for (consumer.poll(); published.load() + 16 <= lap_start + kRing; consumer.poll()) {
      RS_INFO("fill");
    }
    const ManualRecord outer;
    in_handler([lap] { RS_INFO("nested %d", lap); });
    outer.finish(site);
    const std::vector<Record> data = segment.data(0);
    ASSERT_EQ(data.size(), 2U);
    EXPECT_EQ(data[0].code, site);
    EXPECT_EQ(data[0].pos, outer.start);
    EXPECT_EQ(data[1].values, std::vector<std::string>{"i32 " + std::to_string(lap)});
    consumer.poll();
    EXPECT_GT(lap_start, outer.start);
  }
}

std::atomic<std::uint64_t> g_handled{0};

void log_in_handler(int) {
  RS_INFO("handler %lu", g_handled.fetch_add(1));
}

PROCESS_TEST(CallCostInterrupted, NothingIsTornOrCountedTwiceUnderATimer) {
  measure_one_in("2");
  preallocate();
  SegmentReader& segment = own_segment();
  std::uint64_t handled = 0;
  std::uint64_t looped = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    const std::string& format = segment.sites().at(r.code).format;
    std::uint64_t& next = format == "handler %lu" ? handled : looped;
    ASSERT_EQ(r.values.at(0), "u64 " + std::to_string(next));
    ++next;
  });
  consumer.start();
  struct sigaction action {};
  action.sa_handler = log_in_handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval timer{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &timer, nullptr);
  std::uint64_t logged = 0;
  for (; g_handled.load() < 1000; ++logged) log_of_all_sizes(logged);
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  signal(SIGALRM, SIG_IGN);
  consumer.stop();
  EXPECT_EQ(looped, logged);
  EXPECT_EQ(handled, g_handled.load());
  EXPECT_LE(measured(), logged + g_handled.load());
  EXPECT_GE(static_cast<double>(measured()), static_cast<double>(logged) / 2 -
                                                 5 * std::sqrt(static_cast<double>(logged)) -
                                                 static_cast<double>(g_handled.load()));
}

PROCESS_TEST(CallCostInterrupted, ThreadsCountByThemselvesWhileOthersRead) {
  measure_one_in("3");
  setenv("RINGSIDE_RING_BYTES", "1048576", 1);
  constexpr std::uint64_t kThreads = 4;
  constexpr std::uint64_t kCalls = 20'000;
  init();
  std::atomic<std::uint64_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&running] {
      for (std::uint64_t i = 0; i < kCalls; ++i) RS_INFO("%lu", i);
      running.fetch_sub(1);
      while (running.load() != 0) std::this_thread::yield();
    });
  }
  std::uint64_t last = 0;
  while (running.load() != 0) {
    std::uint64_t now = 0;
    for (std::uint32_t i = 0; i < own_segment().rings_used(); ++i) {
      now += sum(own_segment().call_costs(i).all);
    }
    EXPECT_GE(now, last);
    last = now;
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(own_segment().rings_used(), kThreads);
  for (std::uint32_t i = 0; i < kThreads; ++i) expect_one_in(3, kCalls, measured(i));
}

}  // namespace
}  // namespace ringside::test
