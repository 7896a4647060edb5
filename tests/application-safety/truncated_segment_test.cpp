// The segment's file is truncated by another process while the service lives: the service survives,
// another segment takes its place, and the loss is counted.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "libagent/process/replacement_limit.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_locks.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"
#include "tests/application-safety/cut_segment.hpp"

namespace ringside::test {
namespace {

PROCESS_TEST(TruncatedSegment, ServiceLivesAndTheNextRecordsAreTraced) {
  let_the_group_write();
  const StderrCapture capture;
  for (int i = 0; i < 5; ++i) log_number(i);
  const std::string cut = cut_segment();
  for (int i = 10; i < 13; ++i) log_number(i);
  ASSERT_NE(status().segment_path, cut);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U) << "the truncated file is removed";
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), (Values{"i32 10", "i32 11", "i32 12"}));
  EXPECT_EQ(losses(LossCause::no_shared_memory), 1U) << "an estimate: one for each ring";
  EXPECT_EQ(segment.control().losses.no_memory.load(), 1U);
  ASSERT_EQ(capture.lines().size(), 1U);
  EXPECT_NE(capture.lines().at(0).find("was truncated while in use"), std::string::npos);
  EXPECT_TRUE(is_locked(status().segment_path));
}

PROCESS_TEST(TruncatedSegment, FlushIsFalseOnce) {
  let_the_group_write();
  log_number(1);
  cut_segment();
  EXPECT_FALSE(flush(std::chrono::milliseconds(0)));
  EXPECT_TRUE(flush(std::chrono::milliseconds(0))) << "nothing since";
}

// Without any record since: status() and losses() read the segment first.
PROCESS_TEST(TruncatedSegment, QuestionsSurviveIt) {
  let_the_group_write();
  log_number(1);
  cut_segment();
  EXPECT_EQ(status().state, State::live);
  cut_segment();
  EXPECT_EQ(losses(), 1U) << "the second segment had no ring";
  cut_segment();
  set_level(Level::error);
  EXPECT_EQ(status().state, State::live);
  log_number(2);
  RS_ERROR("number %d", 3);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 3"});
}

// Truncated at its ring, only the running record is lost: all others are still there, and counted
// exactly.
PROCESS_TEST(TruncatedSegment, RingAloneIsLost) {
  let_the_group_write();
  log_number(1);
  cut_segment(begin_of_ring(0));
  log_number(2);
  log_number(3);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 3"}) << "2 was written to private memory";
  EXPECT_EQ(losses(), 1U) << "an estimate: one for the ring";
}

// The consumer must not take zeros for records.
PROCESS_TEST(TruncatedSegment, WhatIsWrittenToPrivateMemoryIsNotPublished) {
  let_the_group_write();
  log_number(1);
  const SegmentReader cut(status().segment_path);
  const std::uint64_t published = cut.ring(0).producer.producer_pos.load();
  cut_segment(begin_of_ring(0));
  log_number(2);
  EXPECT_EQ(cut.ring(0).producer.producer_pos.load(), published);
}

// Every position in a lap, so that the fault is also within the slow path, which opens laps.
PROCESS_TEST(TruncatedSegment, OneRecordIsLostWhereverTheRingIsWritten) {
  let_the_group_write();
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  constexpr int kRecordsInALap = 2048 / 16;
  const StderrCapture capture;
  // Not on the stack, where the number 51 can look like a part of a signal's frame.
  static int records = 0;
  for (records = 1; records <= kRecordsInALap + 2; ++records) {
    // In processes of their own, because one process replaces only a few.
    const int status = run_child([] {
      for (int i = 0; i < records; ++i) log_number(i);
      cut_segment(begin_of_ring(0));
      log_number(-1);
      log_number(-2);
      const SegmentReader segment(segments_in(shm_dir()).at(0));
      ASSERT_EQ(segment.rings_used(), 1U);
      ASSERT_GT(segment.ring(0).producer.producer_pos.load(), 0U);
      unlink(ringside::status().segment_path.c_str());
    });
    ASSERT_EQ(status, 0) << "after " << records;
  }
}

PROCESS_TEST(TruncatedSegment, IntactRingsAreCountedExactly) {
  let_the_group_write();
  for (int i = 0; i < 7; ++i) log_number(i);
  cut_segment(begin_of_ring(1));
  EXPECT_FALSE(flush(std::chrono::milliseconds(0)));
  EXPECT_EQ(losses(), 7U);
  log_number(8);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 8"});
}

// Counted in the part that is missing.
PROCESS_TEST(TruncatedSegment, EarlierDropsStayCounted) {
  let_the_group_write();
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  while (losses(LossCause::no_consumer) < 100) log_number(1);
  cut_segment();
  log_number(2);
  EXPECT_EQ(losses(LossCause::no_consumer), 100U);
  EXPECT_EQ(status().dropped, 100U);
  EXPECT_EQ(losses(LossCause::no_shared_memory), 1U);
}

PROCESS_TEST(TruncatedSegment, LongRecordAcrossTheCut) {
  let_the_group_write();
  const std::string text(20'000, 'x');
  RS_INFO("text %s", text.c_str());
  cut_segment(begin_of_ring(0) + 32'768);
  RS_INFO("text %s", text.c_str());
  RS_INFO("text %s", text.c_str());
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"string " + text});
  EXPECT_GE(losses(), 1U);
}

PROCESS_TEST(TruncatedSegment, StatementsKeepTheirIdsAndLevels) {
  let_the_group_write();
  setenv("RINGSIDE_LEVEL", "warning", 1);
  const auto log_both = [](int number) {
    RS_INFO("off %d", number);
    RS_WARNING("on %d", number);
  };
  log_both(1);
  SegmentReader before(status().segment_path);
  const auto sites = before.sites();
  cut_segment();
  log_both(2);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 2"});
  for (const auto& [id, site] : sites) EXPECT_EQ(segment.sites().at(id).format, site.format);
  EXPECT_EQ(segment.sites().size(), sites.size());
  EXPECT_EQ(segment.site_switch(segment.site("off %d").id), shm::kSwitchOff);
}

PROCESS_TEST(TruncatedSegment, SeveralTimesInALife) {
  let_the_group_write();
  for (int round = 0; round < 4; ++round) {
    log_number(round);
    cut_segment(round % 2 == 0 ? 0 : 4096);
  }
  log_number(4);
  EXPECT_EQ(losses(), 4U) << "a count is not lost with its segment";
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 4"});
}

// Each replacement costs the service memory for good: another process must not decide how many.
PROCESS_TEST(TruncatedSegment, FewAreReplacedWithinAnHour) {
  let_the_group_write();
  const StderrCapture capture;
  for (std::uint64_t i = 0; i < kReplacementsPerHour; ++i) {
    log_number(1);
    cut_segment();
  }
  log_number(2);  // replaces the last of them
  EXPECT_EQ(losses(), kReplacementsPerHour) << "an estimate: one for each ring";
  EXPECT_TRUE(status().message.empty());
  const std::string last = cut_segment();
  for (int i = 0; i < 1000; ++i) log_number(3);
  std::thread([] { log_number(4); }).join();
  EXPECT_FALSE(flush(std::chrono::milliseconds(0)));
  EXPECT_EQ(segments_in(shm_dir()), std::vector<std::string>{last});
  EXPECT_EQ(losses(LossCause::no_shared_memory), kReplacementsPerHour + 1 + 1001);
  EXPECT_NE(status().message.find(last + " was truncated, as 16 others within an hour"),
            std::string::npos)
      << status().message;
  ASSERT_EQ(capture.lines().size(), kReplacementsPerHour + 1);
  EXPECT_NE(capture.lines().back().find("records are lost"), std::string::npos);
  EXPECT_EQ(run_child([] {
              log_number(5);
              EXPECT_TRUE(status().message.empty()) << "a child has its own limit";
              SegmentReader segment(status().segment_path);
              EXPECT_EQ(numbers_in(segment), Values{"i32 5"});
            }),
            0);
}

TEST(ReplacementLimit, IsOverAfterAnHour) {
  constexpr std::uint64_t kMinuteNs = 60'000'000'000;
  constexpr std::uint64_t kBeginNs = 1'000 * kMinuteNs;
  forget_replacements();
  for (std::uint64_t i = 0; i < kReplacementsPerHour; ++i) {
    EXPECT_LE(next_replacement_ns(), kBeginNs);
    count_replacement(kBeginNs + i * kMinuteNs);
  }
  EXPECT_EQ(next_replacement_ns(), kBeginNs + 60 * kMinuteNs);
  count_replacement(kBeginNs + 60 * kMinuteNs);
  EXPECT_EQ(next_replacement_ns(), kBeginNs + 61 * kMinuteNs);
}

// The switch is in the part that is missing, so that a disabled statement finds it too.
PROCESS_TEST(TruncatedSegment, HandlerOfASignalLeavesTheReplacementToTheNextCall) {
  let_the_group_write();
  log_number(1);
  const std::string cut = cut_segment();
  in_handler([] { log_number(2); });
  EXPECT_EQ(segments_in(shm_dir()), std::vector<std::string>{cut}) << "it would allocate";
  log_number(3);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 3"});
  EXPECT_EQ(losses(), 2U) << "the handler's record, and one for the ring";
}

PROCESS_TEST(TruncatedSegment, ChildrenHaveTheirOwn) {
  let_the_group_write();
  log_number(1);
  cut_segment();
  EXPECT_EQ(run_child([] {
              log_number(7);
              EXPECT_EQ(losses(), 0U);
              EXPECT_EQ(truncate(status().segment_path.c_str(), 0), 0);
              log_number(8);
              SegmentReader segment(status().segment_path);
              EXPECT_EQ(numbers_in(segment), Values{"i32 8"});
            }),
            0);
  log_number(2);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 2"});
}

// Daemons block all signals in the threads that do the work.
PROCESS_TEST(TruncatedSegment, ThreadsThatBlockAllSignalsSurvive) {
  let_the_group_write();
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::thread([] {
    log_number(1);
    cut_segment();
    log_number(2);
  }).join();
  cut_segment();
  EXPECT_FALSE(flush(std::chrono::milliseconds(0)));
}

PROCESS_TEST(TruncatedSegment, SegmentThatCannotBeReplacedIsReplacedLater) {
  if (geteuid() == 0) GTEST_SKIP() << "root may create files everywhere";
  let_the_group_write();
  const StderrCapture capture;
  log_number(1);
  cut_segment();
  ASSERT_EQ(chmod(shm_dir().c_str(), 0500), 0);
  log_number(2);
  log_number(3);
  EXPECT_EQ(capture.lines().size(), 1U);
  ASSERT_EQ(chmod(shm_dir().c_str(), 0700), 0);
  wait_until([] { return segments_in(shm_dir()).size() == 1 && status().message.empty(); });
  log_number(4);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 4"});
  EXPECT_EQ(losses(), 3U) << "two refused, and one for the ring";
}

}  // namespace
}  // namespace ringside::test
