// Signal handlers that log: one at every instruction of a log call, and two at every pair of
// instructions of its publication. The processor's trap flag raises a signal after each
// instruction.

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "shm-layout/stacked_site.hpp"
#include "tests/agent/measured_calls.hpp"
#include "tests/agent/pinned_thread.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/single_steps.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

#if !defined(RS_TEST_SINGLE_STEPS)
TEST(EveryInstruction, NeedsHandlersAtOnce) {
  GTEST_SKIP() << "single steps need x86, and ThreadSanitizer delays handlers";
}
#else

// The state of the handler of single steps.
struct Steps {
  unsigned long seen = 0;
  unsigned long log_at[2] = {0, 0};  // step numbers from 1; 0: none
  int logged = 0;
  const std::atomic<std::uint64_t>* published = nullptr;
  std::uint64_t last_published = 0;
  unsigned long taken_back_at = 0;
  bool ends_with_handler = false;  // no more steps after the first logging one
} g_steps;

void step(int, siginfo_t*, void* context) {
  ++g_steps.seen;
  const std::uint64_t published = g_steps.published->load();
  if (published < g_steps.last_published) g_steps.taken_back_at = g_steps.seen;
  g_steps.last_published = published;
  for (const unsigned long at : g_steps.log_at) {
    if (g_steps.seen == at) RS_INFO("handler %d", g_steps.logged++);
  }
  if (g_steps.ends_with_handler && g_steps.logged != 0) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~static_cast<long>(kTrapFlag);
  }
}

class Stepped {
 public:
  Stepped()
      : consumer_(own_segment(), [this](std::uint32_t, const Record& r) {
          if (!r.is_data()) return;
          if (own_segment().sites().at(r.code).flags & shm::kSiteWithStack) ++stacks_;
          found_.push_back(own_segment().sites().at(r.code).format +
                           (r.values.empty() ? "" : " " + r.values[0]));
        }) {
    struct sigaction action {};
    action.sa_sigaction = step;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, nullptr);
    g_steps.published = &own_segment().ring(0).producer.producer_pos;
    consumer_.poll();
  }

  // Runs `call`, which steps and records "outer", with a handler at two of its steps (0: none).
  // Returns the number of steps.
  template <class Call>
  unsigned long run(unsigned long first, unsigned long second, Call&& call,
                    bool ends_with_handler = false) {
    consumer_.poll();
    const std::atomic<std::uint64_t>* const published = g_steps.published;
    g_steps = {};
    g_steps.published = published;
    g_steps.log_at[0] = first;
    g_steps.log_at[1] = second;
    g_steps.ends_with_handler = ends_with_handler;
    found_.clear();
    stacks_ = 0;
    call();
    const unsigned long seen = g_steps.seen;
    const int logged = g_steps.logged;
    // So that the next log call has nothing to publish.
    consumer_.poll();
    int outer = 0;
    int handler = 0;
    for (const std::string& record : found_) {
      if (record.starts_with("outer")) ++outer;
      if (record == "handler %d i32 " + std::to_string(handler)) ++handler;
    }
    EXPECT_EQ(outer, 1) << "handlers at " << first << " and " << second;
    EXPECT_EQ(handler, logged) << "handlers at " << first << " and " << second;
    EXPECT_EQ(found_.size(), static_cast<std::size_t>(1 + logged));
    EXPECT_EQ(g_steps.taken_back_at, 0U) << "handlers at " << first << " and " << second;
    return seen;
  }

  // Records with a stack in the last run.
  int stacks() const { return stacks_; }

 private:
  std::vector<std::string> found_;
  int stacks_ = 0;
  TestConsumer consumer_;
};

void log(bool is_stepped) {
  if (is_stepped) begin_stepping();
  RS_INFO("outer %d", 1);
  end_stepping();
}

void log_stepped() {
  log(true);
}

void one_handler_everywhere() {
  Stepped stepped;
  log_stepped();
  const unsigned long steps = stepped.run(0, 0, log_stepped);
  ASSERT_GT(steps, 20U);
  for (unsigned long i = 1; i <= steps && !testing::Test::HasFailure(); ++i) {
    ASSERT_NE(stepped.run(i, 0, log_stepped), 0U);
  }
}

// Its stack is taken between two halves of the reservation, and a handler may have recorded before
// the second one. Most of its steps walk the stack: only the first ones, and the last, have a
// handler each.
void one_handler_everywhere_in_a_call_with_a_stack() {
  constexpr unsigned long kEachOf = 600;
  Stepped stepped;
  log_stepped();
  const std::uint32_t site = own_segment().site("outer %d").id;
  own_segment().set_site_switch(site, shm::switch_with_stack(own_segment().site_switch(site)));
  // The first one also registers what it needs and records the modules of the stack.
  log(false);
  const unsigned long steps = stepped.run(0, 0, log_stepped);
  ASSERT_EQ(stepped.stacks(), 1);
  ASSERT_GT(steps, 2 * kEachOf);
  unsigned long with_stack = 0;
  unsigned long runs = 0;
  for (unsigned long i = 1; i <= steps && !testing::Test::HasFailure(); ++runs) {
    ASSERT_NE(stepped.run(i, 0, log_stepped, true), 0U);
    with_stack += static_cast<unsigned long>(stepped.stacks());
    i += i < kEachOf || i + 4 > steps ? 1 : 1999;
  }
  // Those without one have a handler between the request and the reservation.
  EXPECT_GT(with_stack, runs / 2);
  EXPECT_LT(with_stack, runs);
}

// Starts the second handler later and later in the publication, including where the first one has
// made it longer.
void two_handlers_in_the_publication(const char* format) {
  Stepped stepped;
  const std::uint32_t site = own_segment().site(format).id;
  const auto publish_stepped = [site] {
    std::uint64_t tsc = 0;
    const std::uint64_t start = rs_reserve(RS_SWITCH_ON, 8, &tsc);
    const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site;
    std::memcpy(rs_place(start), &head, sizeof head);
    begin_stepping();
    rs_publish(start, 8);
    end_stepping();
  };
  publish_stepped();
  unsigned long steps = stepped.run(0, 0, publish_stepped);
  ASSERT_GT(steps, 5U);
  for (unsigned long i = 1; i <= steps; ++i) {
    const unsigned long longer = stepped.run(i, 0, publish_stepped);
    for (unsigned long j = i + 1; j <= longer; ++j) {
      stepped.run(i, j, publish_stepped);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

// With this policy no call checks the segment's file. A check blocks signals, and the kernel ends a
// process that steps while SIGTRAP is blocked.
void begin() {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
}

PROCESS_TEST(EveryInstruction, AHandlerMayLogAtEachOfACall) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  begin();
  one_handler_everywhere();
}

PROCESS_TEST(EveryInstruction, AHandlerMayLogAtEachOfAMeasuredCall) {
  measure_one_in("1");
  begin();
  one_handler_everywhere();
}

PROCESS_TEST(EveryInstruction, AHandlerMayLogAtEachOfACallWithAStack) {
  begin();
  one_handler_everywhere_in_a_call_with_a_stack();
}

unsigned long g_step = 0;
unsigned long g_large_record_at = 0;

// The library then blocks signals.
void log_large_record_once(int, siginfo_t*, void* context) {
  if (++g_step != g_large_record_at) return;
  RS_INFO("%ld %ld %ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~static_cast<long>(kTrapFlag);
}

// In the first round of a ring only one of its copies has memory, so a lap ends with it. A call
// finds room for a clock record there; then a handler logs at this step of it.
void log_at_step_before_a_clock_record(unsigned long at, const std::vector<std::uint32_t>& on) {
  constexpr std::uint64_t kRing = 65536;
  constexpr std::uint64_t kRoom = 88;  // for a clock record, or for that of the handler
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  setenv("RINGSIDE_PROCESSOR_INTERVAL_MS", "5", 1);
  ASSERT_TRUE(run_on(on[0]));
  RS_INFO("8 bytes");
  shm::RingMetadata& ring = own_segment().ring(0);
  const auto produced = [&ring] { return ring.producer.producer_pos.load(); };
  while (produced() + 8 + kRoom <= kRing) {
    RS_INFO("8 bytes");
    ring.consumer.consumer_pos.store(produced());
  }
  ASSERT_EQ(produced(), kRing - kRoom);
  // Which makes the clock record due, at the next check; but not for the handler.
  ASSERT_TRUE(run_on(on[1]));
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
  struct sigaction action {};
  action.sa_sigaction = log_large_record_once;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, nullptr);
  g_large_record_at = at;
  begin_stepping();
  RS_INFO("outer");
  end_stepping();
  const std::vector<Record> data = own_segment().data(0);
  EXPECT_EQ(data.size(), g_step < at ? 1U : 2U);
  EXPECT_EQ(status().dropped, 0U);
  if (g_step < at && !testing::Test::HasFailure()) _exit(2);
}

PROCESS_TEST(EveryInstruction, AHandlerMayTakeTheRoomOfAClockRecord) {
  const std::vector<std::uint32_t> on = allowed_processors();
  if (on.size() < 2) GTEST_SKIP() << "needs two processors";
  int status = 0;
  unsigned long at = 1;
  for (; status == 0; ++at) {
    status = run_child([at, &on] { log_at_step_before_a_clock_record(at, on); });
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << "step " << at - 1;
  EXPECT_GT(at, 200U);
}

PROCESS_TEST(EveryInstruction, TwoHandlersMayLogAtEachOfAPublication) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  begin();
  RS_INFO("outer by hand");
  two_handlers_in_the_publication("outer by hand");
}

PROCESS_TEST(EveryInstruction, TwoHandlersMayLogAtEachOfAMeasuredPublication) {
  measure_one_in("1");
  begin();
  RS_INFO("outer by hand, measured");
  two_handlers_in_the_publication("outer by hand, measured");
}

#endif

}  // namespace
}  // namespace ringside::test
