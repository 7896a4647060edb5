// Signal handlers that leave the interrupted log call with siglongjmp: at every instruction of the
// call, and while it waits for space.

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/time.h>

#include "libagent/include/ringside/context.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/measured_calls.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/single_steps.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

#if !defined(RS_TEST_SINGLE_STEPS)
TEST(AbandonedCall, NeedsHandlersAtOnce) {
  GTEST_SKIP() << "single steps need x86, and ThreadSanitizer delays handlers";
}
#else

constexpr int kRecordsAfter = 20;
constexpr std::uint32_t kPlaces = 32;  // in a call, where every instruction would take too long

sigjmp_buf g_way_out;
unsigned long g_steps = 0;
unsigned long g_leave_at = 0;
bool g_logs = false;  // what the handler does before it leaves

void step(int) {
  if (++g_steps != g_leave_at) return;
  if (g_logs) RS_INFO("handler");
  siglongjmp(g_way_out, 1);
}

void leave(int) {
  siglongjmp(g_way_out, 1);
}

void install(int signal, void (*handler)(int), int flags = 0) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

bool may_be_cancelled() {
  int state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  pthread_setcancelstate(state, nullptr);
  return state == PTHREAD_CANCEL_ENABLE;
}

struct Found {
  int outer = 0;
  int handler = 0;
  int after = 0;
  std::uint64_t marked = 0;
};

class Abandoned {
 public:
  Abandoned()
      : consumer_(own_segment(), [this](std::uint32_t, const Record& r) {
          if (r.code == shm::kCodeDrop) {
            EXPECT_EQ(r.words[1] & UINT32_MAX, static_cast<std::uint64_t>(RS_LOSS_ABANDONED));
            found_.marked += r.words[0];
          }
          if (!r.is_data()) return;
          const std::string& format = own_segment().sites().at(r.code).format;
          if (format == "outer %d") ++found_.outer;
          if (format == "handler") ++found_.handler;
          if (format == "after %d %s") {
            EXPECT_EQ(r.values[0], "i32 " + std::to_string(found_.after++));
          }
        }) {
    install(SIGTRAP, step);
    consumer_.poll();
  }

  // Leaves `call` at this step (0: never). Returns the number of steps.
  template <class Call>
  unsigned long leave_at(unsigned long at, Call&& call) {
    g_steps = 0;
    g_leave_at = at;
    if (sigsetjmp(g_way_out, 1) == 0) call();
    return g_steps;
  }

  // Counts what was recorded since the last call, and what was abandoned.
  Found settle() {
    found_ = {};
    const std::uint64_t before = abandoned_;
    log_after();
    consumer_.poll();
    abandoned_ = losses(LossCause::abandoned);
    EXPECT_EQ(abandoned_, own_segment().ring(0).counters.dropped_abandoned.load());
    EXPECT_EQ(found_.marked, abandoned_ - before);
    EXPECT_EQ(found_.after, kRecordsAfter);
    EXPECT_TRUE(may_be_cancelled());
    return found_;
  }

 private:
  __attribute__((noinline)) static void log_after() {
    for (int i = 0; i < kRecordsAfter; ++i) RS_INFO("after %d %s", i, "that");
  }

  Found found_;
  std::uint64_t abandoned_ = 0;
  TestConsumer consumer_;
};

void log_stepped() {
  begin_stepping();
  RS_INFO("outer %d", 1);
  end_stepping();
}

// Leaves the call at this step (0: never). Returns the number of steps.
unsigned long steps_left_at(unsigned long at) {
  g_steps = 0;
  g_leave_at = at;
  if (sigsetjmp(g_way_out, 1) == 0) log_stepped();
  return g_steps;
}

// Wherever the handler leaves a call that has begun, its record is present or counted.
void leave_everywhere() {
  Abandoned abandoned;
  log_stepped();
  abandoned.settle();
  const unsigned long steps = abandoned.leave_at(0, log_stepped);
  abandoned.settle();
  ASSERT_GT(steps, 20U);
  bool has_begun = false;
  for (unsigned long at = 1; at <= steps && !testing::Test::HasFailure(); ++at) {
    abandoned.leave_at(at, log_stepped);
    const Found found = abandoned.settle();
    const std::uint64_t accounted = static_cast<std::uint64_t>(found.outer) + found.marked;
    EXPECT_LE(accounted, 1U) << "left at " << at;
    EXPECT_GE(accounted, has_begun ? 1U : 0U) << "left at " << at;
    EXPECT_EQ(found.handler, g_logs ? 1 : 0) << "left at " << at;
    has_begun = has_begun || accounted != 0;
  }
  EXPECT_TRUE(has_begun);
}

PROCESS_TEST(AbandonedCall, LaterRecordsAreKeptAndTheCallIsCounted) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);  // as in every_instruction_test.cpp
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  preallocate();
  leave_everywhere();
}

PROCESS_TEST(AbandonedCall, AHandlersRecordIsKeptToo) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);  // as in every_instruction_test.cpp
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  preallocate();
  g_logs = true;
  leave_everywhere();
}

PROCESS_TEST(AbandonedCall, LaterRecordsAreInTheirContext) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  setenv("RINGSIDE_RING_BYTES", "1M", 1);
  preallocate();
  install(SIGTRAP, step);
  {
    const Context context{{"at", 0}};
    log_stepped();
  }
  unsigned long calls = 0;
  for (bool has_ended = false; !has_ended;) {
    const Context context{{"at", ++calls}};
    has_ended = steps_left_at(calls) < calls;
    RS_INFO("in its context %lu", calls);
  }
  EXPECT_GT(calls, 300U);
  std::string in_force;
  std::size_t checked = 0;
  for (const Record& record : own_segment().data(0)) {
    const Site& site = own_segment().sites().at(record.code);
    if (site.kind == shm::SiteKind::kContext) {
      in_force = record.values.empty() ? "" : record.values[0];
    } else if (site.format == "in its context %lu") {
      ASSERT_EQ(in_force, record.values[0]) << "left at " << record.values[0];
      ++checked;
    }
  }
  EXPECT_EQ(checked, calls);
}

PROCESS_TEST(AbandonedCall, LaterRecordsOfAFlightRecorderAreKept) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  preallocate();
  install(SIGTRAP, step);
  RS_INFO("known");
  log_stepped();  // the first one registers the statement
  const unsigned long steps = steps_left_at(0);
  for (unsigned long part = 1; part < kPlaces; ++part) {
    const unsigned long at = steps * part / kPlaces;
    steps_left_at(at);
    for (int i = 0; i < 10'000; ++i) RS_INFO("after %d", i);
    const rs_thread& t = rs_thread_state;
    ASSERT_EQ(t.pos, t.published) << "left at " << at;
    ASSERT_EQ(*t.producer_pos, t.pos);
  }
  EXPECT_EQ(own_segment().ring(0).counters.dropped_ring_full.load(), 0U);
  EXPECT_GT(losses(LossCause::abandoned), 0U);
}

// The alternate stack can be above or below the thread's: the library either finds the handler's
// frame, or decides nothing.
PROCESS_TEST(AbandonedCall, IsFoundFromAHandlerOnAnotherStack) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  preallocate();
  alignas(16) static unsigned char stack[1 << 16];
  const stack_t alternate{stack, 0, sizeof stack};
  sigaltstack(&alternate, nullptr);
  g_logs = true;
  Abandoned abandoned;
  install(SIGTRAP, step, SA_ONSTACK);
  const unsigned long steps = abandoned.leave_at(0, log_stepped);
  for (unsigned long at = 1; at <= steps && !testing::Test::HasFailure(); ++at) {
    abandoned.leave_at(at, log_stepped);
    EXPECT_EQ(abandoned.settle().handler, 1) << "left at " << at;
  }
}

PROCESS_TEST(AbandonedCall, AThreadThatEndsLeavesNothingBehind) {
  init();
  install(SIGTRAP, step);
  unsigned long steps = 0;
  const auto in_a_thread = [&steps](unsigned long at) {
    std::thread([&steps, at] {
      RS_INFO("outer %d", 0);
      if (at == 0) log_stepped();
      steps = std::max(steps, steps_left_at(at));
    }).join();
  };
  in_a_thread(0);
  std::uint64_t abandoned = 0;
  for (std::uint32_t part = 1; part < kPlaces; ++part) {
    in_a_thread(steps * part / kPlaces);
    const auto& ring = own_segment().ring(part);
    const auto found = own_segment().data(part).size();
    abandoned += ring.counters.dropped_abandoned.load();
    // Once a call has begun to record, calls that are left later have, too.
    EXPECT_EQ(found + ring.counters.dropped_abandoned.load(), abandoned > 0 ? 2U : 1U) << part;
    EXPECT_EQ(ring.identity.state.load(), static_cast<std::uint32_t>(shm::RingState::kRetired));
  }
  EXPECT_GT(abandoned, 0U);
}

PROCESS_TEST(AbandonedCall, ACallThatWaitsForSpaceIsCounted) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "3600000", 1);
  preallocate();
  SegmentReader& segment = own_segment();
  int outer = 0;
  int after = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    const std::string& format = segment.sites().at(r.code).format;
    outer += format == "waits %d" ? 1 : 0;
    after += format == "after" ? 1 : 0;
  });
  install(SIGALRM, leave);
  std::atomic<int> calls{0};
  if (sigsetjmp(g_way_out, 1) == 0) {
    const itimerval timer{{0, 0}, {0, 200'000}};
    setitimer(ITIMER_REAL, &timer, nullptr);
    for (;; ++calls) RS_INFO("waits %d", 1);
  }
  consumer.poll();
  for (int i = 0; i < 10; ++i) RS_INFO("after");
  consumer.poll();
  EXPECT_EQ(after, 10);
  EXPECT_GT(outer, 1000);
  EXPECT_EQ(outer, calls.load());
  EXPECT_EQ(losses(LossCause::abandoned), 1U);
  EXPECT_TRUE(may_be_cancelled());
}

#endif

}  // namespace
}  // namespace ringside::test
