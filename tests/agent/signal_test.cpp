// Signal handlers that log, on threads that log.

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <signal.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/time.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

std::atomic<long> g_handled{0};

void log_in_handler(int) {
  const long number = g_handled.fetch_add(1);
  RS_INFO("handler %ld %s", number, "from the handler");
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
}

void set_timer(long interval_us) {
  const itimerval timer{{0, interval_us}, {0, interval_us}};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Logs until `handlers` interruptions have happened, with a large margin of records.
long log_until(long handlers) {
  long count = 0;
  while (g_handled.load(std::memory_order_relaxed) < handlers) {
    RS_INFO("loop %ld %s %d", count, "from the loop", 1);
    ++count;
  }
  return count;
}

struct Expectation {
  long loop = 0;
  long handler = 0;
  void see(SegmentReader& segment, const Record& r) {
    if (!r.is_data()) return;
    const std::string& format = segment.sites().at(r.code).format;
    if (format == "loop %ld %s %d") {
      EXPECT_EQ(r.values, (std::vector<std::string>{"i64 " + std::to_string(loop++),
                                                    "string from the loop", "i32 1"}));
    } else if (format == "handler %ld %s") {
      EXPECT_EQ(r.values, (std::vector<std::string>{"i64 " + std::to_string(handler++),
                                                    "string from the handler"}));
    }
  }
};

PROCESS_TEST(Signal, NoRecordIsTornOrLostUnderATimer) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "60000", 1);
  preallocate();
  Expectation seen;
  SegmentReader& segment = own_segment();
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) { seen.see(segment, r); });
  consumer.start();
  install(log_in_handler);
  set_timer(50);
  const long logged = log_until(5'000);
  set_timer(0);
  signal(SIGALRM, SIG_IGN);
  consumer.stop();
  EXPECT_EQ(seen.loop, logged);
  EXPECT_EQ(seen.handler, g_handled.load());
  EXPECT_EQ(status().dropped, 0U);
}

// The ring is mostly full: handlers interrupt every branch of the slow path. No record may be torn,
// and each is either present or counted.
PROCESS_TEST(Signal, CountsAreExactWhenTheRingOverflowsUnderATimer) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
  SegmentReader& segment = own_segment();
  long found = 0;
  std::uint64_t marked = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (r.is_data()) ++found;
    if (r.code == shm::kCodeDrop) marked += r.words[0];
  });
  consumer.start([] {
    const timespec nap{0, 300'000};
    nanosleep(&nap, nullptr);
  });
  install(log_in_handler);
  set_timer(50);
  const long logged = log_until(5'000);
  set_timer(0);
  signal(SIGALRM, SIG_IGN);
  consumer.stop();
  RS_INFO("reports the last drops");
  consumer.poll();
  const std::uint64_t dropped = segment.ring(0).counters.dropped_total.load();
  EXPECT_EQ(static_cast<std::uint64_t>(logged + g_handled.load() + 1 - found), dropped);
  EXPECT_EQ(marked, dropped);
}

PROCESS_TEST(Signal, AHandlersRecordMayBeTheFirstOfItsThread) {
  init();
  install(log_in_handler);
  std::thread thread([] { raise(SIGALRM); });
  thread.join();
  ASSERT_EQ(own_segment().rings_used(), 1U);
  EXPECT_EQ(own_segment().data(0).size(), 1U);
}

PROCESS_TEST(Signal, AHandlersRecordMayBeTheFirstOfTheProcess) {
  install(log_in_handler);
  raise(SIGALRM);
  EXPECT_EQ(own_segment().data(0).size(), 1U);
}

PROCESS_TEST(Signal, ThreadsThatStartUnderATimerKeepEverything) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  init();
  SegmentReader& segment = own_segment();
  long found = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (r.is_data()) ++found;
  });
  install(log_in_handler);
  std::atomic<long> logged{0};
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> stop{false};
    std::thread thread([&] {
      for (int k = 0; k < 50; ++k) {
        RS_INFO("short thread %d", k);
        logged.fetch_add(1);
      }
      while (!stop.load()) std::this_thread::yield();
    });
    const pthread_t id = thread.native_handle();
    for (int k = 0; k < 5; ++k) pthread_kill(id, SIGALRM);
    stop = true;
    thread.join();
    consumer.poll();
  }
  EXPECT_EQ(found, logged.load() + g_handled.load());
  EXPECT_EQ(status().refused, 0U);
  EXPECT_EQ(status().dropped, 0U);
}

void clobber_nothing(int) {
  RS_INFO("handler keeps errno");
}

PROCESS_TEST(Signal, AHandlersFirstRecordLeavesErrnoAlone) {
  init();
  install(clobber_nothing);
  std::thread([] {
    errno = 4321;
    raise(SIGALRM);
    EXPECT_EQ(errno, 4321);
  }).join();
}

// A record of `bytes` written step by step, so that a handler can run between the steps.
struct ManualRecord {
  std::uint64_t bytes;
  std::uint64_t tsc = 0;
  std::uint64_t start;
  explicit ManualRecord(std::uint64_t size)
      : bytes(size), start(rs_reserve(RS_SWITCH_ON, size, &tsc)) {}
  void write(std::uint32_t site) const {
    const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site;
    std::memcpy(rs_place(start), &head, sizeof head);
  }
  void publish() const { rs_publish(start, bytes); }
};

PROCESS_TEST(Signal, OnlyTheOutermostRecordPublishes) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer delays handlers that interrupt a handler";
  preallocate();
  SegmentReader& segment = own_segment();
  const std::atomic<std::uint64_t>& published = segment.ring(0).producer.producer_pos;
  RS_INFO("manual 1");
  const std::uint32_t site = segment.site("manual 1").id;
  const std::uint64_t before = published.load();

  const ManualRecord outer(8);
  EXPECT_EQ(outer.start, before);
  in_handler([&] {
    const ManualRecord inner(8);
    EXPECT_EQ(inner.start, before + 8);
    in_handler([&] {
      const ManualRecord innermost(8);
      innermost.write(site);
      innermost.publish();
    });
    EXPECT_EQ(published.load(), before);
    inner.write(site);
    inner.publish();
  });
  EXPECT_EQ(published.load(), before) << "the outer record is not written yet";
  in_handler([] { RS_INFO("nested"); });
  EXPECT_EQ(published.load(), before);
  outer.write(site);
  outer.publish();
  EXPECT_EQ(published.load(), before + 32);
  EXPECT_EQ(segment.data(0).size(), 5U);
}

// More records than there is room to note one by one: if the process died here, a consumer would
// find all of them.
PROCESS_TEST(Signal, NestedRecordsThatFollowEachOtherAreNotedAsOne) {
  preallocate();
  SegmentReader& segment = own_segment();
  const std::atomic<std::uint64_t>& published = segment.ring(0).producer.producer_pos;
  RS_INFO("manual 7");
  const std::uint32_t site = segment.site("manual 7").id;
  const ManualRecord outer(8);
  const std::uint64_t before = published.load();
  for (std::size_t i = 0; i < 2 * shm::kNestedRanges; ++i) in_handler([] { RS_INFO("nested"); });
  const std::uint64_t end = rs_thread_state.pos;
  const shm::NestedRest rest =
      shm::nested_rest(shm::load_nested(segment.nested(0)), published.load(), end);
  EXPECT_EQ(published.load(), before);
  EXPECT_EQ(rest.end, end);
  EXPECT_EQ(rest.gap_count, 1U) << "the outer record";
  outer.write(site);
  outer.publish();
  EXPECT_EQ(published.load(), end);
  EXPECT_EQ(segment.data(0).size(), 2 + 2 * shm::kNestedRanges);
}

PROCESS_TEST(Signal, ANestedRecordThatStartsANewLapKeepsItsPlace) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
  SegmentReader& segment = own_segment();
  TestConsumer consumer(segment);
  const std::atomic<std::uint64_t>& published = segment.ring(0).producer.producer_pos;
  RS_INFO("manual 2");
  while (published.load() + 8 <= 65536) RS_INFO("fill");
  consumer.poll();
  const std::uint32_t site = segment.site("manual 2").id;
  const std::uint64_t before = published.load();
  const ManualRecord outer(8);  // takes the slow path: lap end
  EXPECT_EQ(outer.start, before + shm::kClockRecordBytes);
  in_handler([] { RS_INFO("nested"); });
  EXPECT_EQ(published.load(), outer.start);
  outer.write(site);
  outer.publish();
  EXPECT_EQ(segment.data(0).size(), 2U);
}

// The outer record is in the previous lap. Its place is computed with the new lap's data, and must
// not change.
PROCESS_TEST(Signal, ANestedRecordThatStartsANewLapDoesNotMoveTheOuterOne) {
  constexpr std::uint64_t kRing = 65536;
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
  SegmentReader& segment = own_segment();
  std::uint64_t lap_start = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (r.code == shm::kCodeClock) lap_start = r.pos;
  });
  const std::atomic<std::uint64_t>& published = segment.ring(0).producer.producer_pos;
  RS_INFO("manual 4");
  const std::uint32_t site = segment.site("manual 4").id;
  for (int lap = 1; lap <= 5; ++lap) {
    // The nested record has 12 bytes, so every lap begins 4 bytes further on in the ring.
    for (consumer.poll(); published.load() + 16 <= lap_start + kRing; consumer.poll()) {
      RS_INFO("fill");
    }
    const ManualRecord outer(8);
    EXPECT_LE(outer.start + 8, lap_start + kRing) << "the last of its lap";
    in_handler([lap] { RS_INFO("nested %d", lap); });
    outer.write(site);
    outer.publish();
    const std::vector<Record> data = segment.data(0);
    ASSERT_EQ(data.size(), 2U);
    EXPECT_EQ(data[0].code, site);
    EXPECT_EQ(data[0].pos, outer.start);
    EXPECT_EQ(data[1].values, std::vector<std::string>{"i32 " + std::to_string(lap)});
    consumer.poll();
    EXPECT_EQ(lap_start, outer.start + 8) << "the new lap began inside the outer record's time";
  }
}

// A consumer position that was never reached lets handlers continue to write, but never so far that
// the place of the unfinished record leaves the ring's memory.
PROCESS_TEST(Signal, AnImpossibleConsumerPositionLeavesTheOuterRecordItsPlace) {
  constexpr std::uint64_t kRing = 65536;
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
  SegmentReader& segment = own_segment();
  RS_INFO("manual 5");
  const std::uint32_t site = segment.site("manual 5").id;
  segment.ring(0).consumer.consumer_pos.store(std::uint64_t{1} << 40);
  const ManualRecord outer(8);
  in_handler([] {
    for (std::uint64_t i = 0; i < 10 * kRing / 8; ++i) RS_INFO("nested");
  });
  EXPECT_GT(segment.ring(0).counters.dropped_total.load(), 9 * kRing / 8);
  EXPECT_LE(rs_thread_state.pos, outer.start + kRing);
  outer.write(site);  // a write outside the mapping would end the process
  outer.publish();
  EXPECT_EQ(segment.records(0, outer.start, outer.start + 8)[0].code, site);
}

PROCESS_TEST(Signal, ANestedRecordThatIsDroppedLeavesTheOuterOneWhole) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
  SegmentReader& segment = own_segment();
  const std::atomic<std::uint64_t>& published = segment.ring(0).producer.producer_pos;
  RS_INFO("manual 3");
  const std::uint32_t site = segment.site("manual 3").id;
  while (published.load() + 16 <= 65536) RS_INFO("fill");
  const ManualRecord outer(8);
  in_handler([] { RS_INFO("nested, without space %d", 1); });
  EXPECT_EQ(segment.ring(0).counters.dropped_total.load(), 1U);
  outer.write(site);
  outer.publish();
  EXPECT_EQ(published.load(), 65536U);
  EXPECT_EQ(segment.data(0).back().code, site);
}

}  // namespace
}  // namespace ringside::test
