// Statements that count their executions instead of recording them.

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/time.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"

namespace ringside::test {
namespace {

void log_counted() {
  RS_INFO("counted statement");
}

void log_other() {
  RS_INFO("other statement");
}

std::uint32_t counted_id(SegmentReader& segment = own_segment()) {
  return segment.site("counted statement").id;
}

void start_counting() {
  log_counted();
  own_segment().set_site_switch(counted_id(), shm::kSwitchCounting);
}

std::uint64_t counted() {
  return own_segment().executions(counted_id()).counted;
}

std::size_t records() {
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < own_segment().rings_used(); ++i)
    sum += own_segment().data(i).size();
  return sum;
}

// A statement that no code executes: a gate decides about its executions.
rs_site a_site(const char* format) {
  rs_site site{};
  site.state = &rs_initial_switch;
  site.format = format;
  site.file = __FILE__;
  site.function = __func__;
  site.arguments = "";
  site.level = static_cast<std::uint8_t>(Level::info);
  return site;
}

PROCESS_TEST(ExecutionCount, ACountingStatementRecordsNothing) {
  start_counting();
  log_other();
  for (int i = 0; i < 1000; ++i) log_counted();
  EXPECT_EQ(counted(), 1000U);
  EXPECT_EQ(records(), 2U);
  EXPECT_EQ(losses(), 0U);
  own_segment().set_site_switch(counted_id(), shm::kSwitchOn);
  log_counted();
  EXPECT_EQ(counted(), 1000U);
  EXPECT_EQ(records(), 3U);
  own_segment().set_site_switch(counted_id(), shm::kSwitchCounting);
  log_counted();
  EXPECT_EQ(counted(), 1001U) << "continues";
}

PROCESS_TEST(ExecutionCount, CountsUntilItsDeadline) {
  start_counting();
  SegmentReader& segment = own_segment();
  segment.control().switch_deadlines.tsc[1].store(UINT64_MAX);
  segment.set_site_switch(counted_id(), shm::timed_switch(shm::kSwitchCounting, shm::kSwitchOn, 1));
  for (int i = 0; i < 10; ++i) log_counted();
  EXPECT_EQ(counted(), 10U);
  EXPECT_EQ(records(), 1U);
  segment.control().switch_deadlines.tsc[1].store(shm::read_tsc());
  log_counted();
  EXPECT_EQ(counted(), 10U);
  EXPECT_EQ(records(), 2U);
  EXPECT_EQ(segment.site_switch(counted_id()), shm::kSwitchOn);
  segment.set_site_switch(counted_id(), shm::timed_switch(shm::kSwitchOn, shm::kSwitchCounting, 1));
  log_counted();
  EXPECT_EQ(counted(), 11U);
  EXPECT_EQ(segment.site_switch(counted_id()), shm::kSwitchCounting);
}

PROCESS_TEST(ExecutionCount, IsExactForManyThreads) {
  start_counting();
  constexpr int kThreads = 20;
  constexpr int kCalls = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      for (int call = 0; call < kCalls; ++call) log_counted();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted(), static_cast<std::uint64_t>(kThreads) * kCalls);
  EXPECT_EQ(own_segment().executions(counted_id()).stripes,
            static_cast<int>(shm::kExecutionStripes))
      << "threads share no cache line until there are more threads than stripes";
  EXPECT_EQ(own_segment().rings_used(), 1U) << "counting needs no ring";
}

PROCESS_TEST(ExecutionCount, IsExactWithASignalHandlerThatCounts) {
  start_counting();
  static volatile std::sig_atomic_t signals = 0;
  struct sigaction action {};
  action.sa_handler = [](int) {
    log_counted();
    signals = signals + 1;
  };
  ASSERT_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  const itimerval often{{0, 50}, {0, 50}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  std::uint64_t calls = 0;
  while (signals < 1000) {
    errno = 77;
    log_counted();
    ASSERT_EQ(errno, 77);
    // ThreadSanitizer delivers signals within such calls.
    if (++calls % 4096 == 0) usleep(1);
  }
  const itimerval never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
  EXPECT_EQ(counted(), calls + static_cast<std::uint64_t>(signals));
}

PROCESS_TEST(ExecutionCount, AChildCountsInItsOwnSegment) {
  start_counting();
  log_counted();
  const int status_of_child = run_child([] {
    log_counted();
    SegmentReader segment(status().segment_path);
    EXPECT_EQ(segment.site_switch(counted_id(segment)), shm::kSwitchOn) << "not inherited";
    EXPECT_EQ(segment.executions(counted_id(segment)).counted, 0U);
    segment.set_site_switch(counted_id(segment), shm::kSwitchCounting);
    log_counted();
    EXPECT_EQ(segment.executions(counted_id(segment)).counted, 1U);
  });
  EXPECT_EQ(status_of_child, 0);
  EXPECT_EQ(counted(), 1U);
}

PROCESS_TEST(ExecutionCount, SurvivesSIGKILL) {
  const pid_t pid = start_child([] {
    log_counted();
    SegmentReader segment(status().segment_path);
    segment.set_site_switch(counted_id(segment), shm::kSwitchCounting);
    for (int i = 0; i < 500; ++i) log_counted();
    raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(wait_for(pid)));
  SegmentReader segment(segments_in(shm_dir()).at(0));
  EXPECT_EQ(segment.executions(counted_id(segment)).counted, 500U);
}

PROCESS_TEST(ExecutionCount, DoesNotTrustWhatOthersWrote) {
  start_counting();
  SegmentReader& segment = own_segment();
  for (const std::uint32_t claim : {0U, 1U, UINT32_MAX}) {
    segment.control().losses.sites_with_executions.store(claim);
    segment.control().service.site_count.store(claim);
    log_counted();
  }
  EXPECT_EQ(counted(), 3U);
  auto* const entry = reinterpret_cast<std::uint8_t*>(&segment.control()) -
                      segment.layout().control_offset + segment.layout().site_executions_offset;
  std::memset(entry, 0xFF, shm::kExecutionPageBytes);
  for (int i = 0; i < 10; ++i) log_counted();
  EXPECT_EQ(records(), 1U);
}

PROCESS_TEST(ExecutionCount, EveryStatementHasACounter) {
  log_counted();
  void* const plugin = dlopen(std::getenv("RINGSIDE_TEST_MANY_STATEMENTS"), RTLD_NOW);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const auto log_all = reinterpret_cast<int (*)()>(dlsym(plugin, "log_every_statement"));
  const std::uint32_t sites = own_segment().control().service.site_count.load();
  ASSERT_GT(sites, 1000U);
  EXPECT_GT(own_segment().control().losses.sites_with_executions.load(), sites);
  const std::uint32_t own = counted_id();
  for (std::uint32_t id = 1; id <= sites; ++id) {
    if (id != own) own_segment().set_site_switch(id, shm::kSwitchCounting);
  }
  const auto calls = static_cast<std::uint64_t>(log_all());
  std::uint64_t sum = 0;
  for (std::uint32_t id = 1; id <= sites; ++id) {
    const std::uint64_t executions = own_segment().executions(id).counted;
    EXPECT_LE(executions, 1U) << id;
    sum += executions;
  }
  EXPECT_EQ(sum, calls);
  EXPECT_EQ(records(), 1U);
}

PROCESS_TEST(ExecutionCount, ContinuesInTheSegmentThatReplacesARemovedOne) {
  start_counting();
  log_counted();
  log_other();
  ASSERT_EQ(unlink(status().segment_path.c_str()), 0);
  // The status replaces it.
  SegmentReader next(status().segment_path);
  EXPECT_EQ(next.site_switch(counted_id(next)), shm::kSwitchCounting);
  for (int i = 0; i < 5; ++i) log_counted();
  log_other();
  for (int i = 0; i < 5; ++i) log_counted();
  EXPECT_EQ(next.executions(counted_id(next)).counted, 10U) << "begins at 0";
}

PROCESS_TEST(ExecutionCount, SurvivesATruncatedSegment) {
  setenv("RINGSIDE_MODE", "0660", 1);
  for (const off_t bytes : {off_t{0}, off_t{1} << 20}) {
    log_counted();
    const std::string path = status().segment_path;
    {
      SegmentReader segment(path);
      segment.set_site_switch(counted_id(segment), shm::kSwitchCounting);
    }
    log_counted();
    ASSERT_EQ(truncate(path.c_str(), bytes), 0);
    for (int i = 0; i < 3; ++i) log_counted();
    ASSERT_NE(status().segment_path, path);
    SegmentReader next(status().segment_path);
    log_counted();
    EXPECT_NE(next.site_switch(counted_id(next)), shm::kSwitchUnregistered);
  }
}

PROCESS_TEST(Suppressed, IsCountedApartFromExecutions) {
  static rs_site site = a_site("suppressed");
  rs_site* const listed = &site;
  rs_sites_loaded(&listed, &listed + 1);
  log_other();
  rs_count_suppressed(&site, 1);
  rs_count_suppressed(&site, 41);
  in_handler([] { rs_count_suppressed(&site, 100); });
  const auto executions = own_segment().executions(own_segment().site("suppressed").id);
  EXPECT_EQ(executions.suppressed, 142U);
  EXPECT_EQ(executions.counted, 0U);
  EXPECT_EQ(records(), 1U);
  EXPECT_EQ(losses(), 0U);
}

PROCESS_TEST(Suppressed, RegistersTheStatement) {
  static rs_site site = a_site("suppressed first");
  rs_count_suppressed(&site, 7);
  EXPECT_EQ(status().state, State::live);
  EXPECT_EQ(own_segment().executions(own_segment().site("suppressed first").id).suppressed, 7U);
}

PROCESS_TEST(Suppressed, CountsNothingWhereTracingIsDisabled) {
  setenv("RINGSIDE_DISABLE", "1", 1);
  static rs_site site = a_site("suppressed");
  rs_count_suppressed(&site, 7);
  rs_count_suppressed(&site, 7);
  EXPECT_EQ(status().state, State::disabled);
  EXPECT_TRUE(segments_in(shm_dir()).empty());
}

PROCESS_TEST(Suppressed, WithoutASegmentIsNotALoss) {
  setenv("RINGSIDE_SHM_DIR", "/nonexistent", 1);
  const StderrCapture quiet;
  static rs_site site = a_site("suppressed");
  rs_count_suppressed(&site, 7);
  rs_count_suppressed(&site, 7);
  EXPECT_EQ(losses(), 0U);
}

}  // namespace
}  // namespace ringside::test
