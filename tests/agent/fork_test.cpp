// Processes that fork.

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_locks.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

void log_number(int number) {
  RS_INFO("number %d", number);
}

std::vector<std::string> numbers_in(const std::string& path) {
  SegmentReader segment(path);
  std::vector<std::string> numbers;
  for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
    for (const Record& r : segment.data(i)) {
      if (!r.values.empty()) numbers.push_back(r.values[0]);
    }
  }
  return numbers;
}

std::string path_of_child(pid_t pid) {
  for (const std::string& path : segments_in(shm_dir())) {
    if (path.find("." + std::to_string(pid) + ".") != std::string::npos) return path;
  }
  return {};
}

using Values = std::vector<std::string>;

PROCESS_TEST(Fork, TheChildHasASegmentOfItsOwn) {
  log_number(1);
  const std::string parents = status().segment_path;
  const pid_t pid = start_child([&] {
    EXPECT_EQ(status().state, State::idle);
    EXPECT_TRUE(status().segment_path.empty());
    log_number(2);
    log_number(3);
    EXPECT_NE(status().segment_path, parents);
    SegmentReader segment(status().segment_path);
    EXPECT_EQ(segment.header().pid, static_cast<std::uint32_t>(getpid()));
    EXPECT_EQ(segment.count_sites("number %d"), 1U);
  });
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_EQ(numbers_in(parents), Values{"i32 1"});
  EXPECT_EQ(numbers_in(path_of_child(pid)), (Values{"i32 2", "i32 3"}));
  log_number(4);
  EXPECT_EQ(numbers_in(parents), (Values{"i32 1", "i32 4"}));
}

PROCESS_TEST(Fork, TheChildCountsAndMarksNoLossesOfItsParent) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_MAX_THREADS", "1", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  const auto lose = [] {
    const std::uint64_t before = status().dropped;
    while (status().dropped < before + 5) log_number(1);
  };
  std::thread(lose).join();
  TestConsumer(own_segment()).poll();
  // The same ring, used by another thread: the losses of the first thread are counted separately.
  lose();
  std::thread([] { log_number(2); }).join();
  TestConsumer(own_segment()).poll();
  log_number(3);  // marks the losses
  EXPECT_EQ(status().dropped, 10U);
  EXPECT_EQ(status().refused, 1U);
  const pid_t pid = start_child([] {
    EXPECT_EQ(status().dropped, 0U);
    EXPECT_EQ(status().refused, 0U);
    log_number(4);
    EXPECT_EQ(status().dropped, 0U);
    EXPECT_EQ(status().refused, 0U);
    for (const Record& r : SegmentReader(status().segment_path).records(0)) {
      EXPECT_NE(r.code, shm::kCodeDrop);
    }
  });
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_EQ(numbers_in(path_of_child(pid)), Values{"i32 4"});
}

PROCESS_TEST(Fork, AChildThatDoesNotLogCreatesNoSegment) {
  log_number(1);
  EXPECT_EQ(run_child([] {}), 0);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
}

PROCESS_TEST(Fork, GrandchildrenHaveTheirOwnToo) {
  log_number(1);
  EXPECT_EQ(run_child([] {
              log_number(2);
              EXPECT_EQ(run_child([] { log_number(3); }), 0);
            }),
            0);
  EXPECT_EQ(segments_in(shm_dir()).size(), 3U);
}

PROCESS_TEST(Fork, TheParentsDeathIsSeenWhileTheChildLives) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  int child_pid = 0;
  const pid_t parent = start_child([&] {
    log_number(1);
    const pid_t child = start_child([&] {
      log_number(2);
      const int self = getpid();
      ASSERT_EQ(write(ready[1], &self, sizeof self), static_cast<ssize_t>(sizeof self));
      for (;;) pause();
    });
    static_cast<void>(child);
    for (;;) pause();
  });
  ASSERT_EQ(read(ready[0], &child_pid, sizeof child_pid), static_cast<ssize_t>(sizeof child_pid));
  const std::string parents = path_of_child(parent);
  const std::string childs = path_of_child(child_pid);
  EXPECT_TRUE(is_locked(parents));
  EXPECT_TRUE(is_locked(childs));
  kill(parent, SIGKILL);
  wait_for(parent);
  EXPECT_FALSE(is_locked(parents));
  EXPECT_TRUE(is_locked(childs));
  kill(child_pid, SIGKILL);
  wait_until([&] { return !is_locked(childs); });
}

PROCESS_TEST(Fork, TheChildsDeathLeavesTheParentAlive) {
  log_number(1);
  const pid_t pid = start_child([] { log_number(2); });
  wait_for(pid);
  EXPECT_TRUE(is_locked(status().segment_path));
  EXPECT_FALSE(is_locked(path_of_child(pid)));
}

PROCESS_TEST(Fork, WorksWhileOtherThreadsLogAndStart) {
  if (kAddressSanitizer) {
    GTEST_SKIP() << "AddressSanitizer's allocator can stay locked in the child";
  }
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a child that starts a thread after a fork with several threads";
  }
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&stop] {
      for (int i = 0; !stop.load(); ++i) {
        log_number(i);
        if (i % 64 == 0) std::thread([] { log_number(-1); }).join();
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    const pid_t pid = start_child([i] {
      log_number(i);
      std::thread([] { log_number(1000); }).join();
    });
    ASSERT_EQ(wait_for(pid), 0);
    ASSERT_EQ(numbers_in(path_of_child(pid)), (Values{"i32 " + std::to_string(i), "i32 1000"}));
    unlink(path_of_child(pid).c_str());
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}

PROCESS_TEST(Fork, TheChildKeepsTheLevelThatWasSet) {
  setenv("RINGSIDE_LEVEL", "debug", 1);
  log_number(1);
  set_level(Level::error);
  EXPECT_EQ(run_child([] {
              log_number(2);
              EXPECT_NE(init().segment_path, "");
              EXPECT_EQ(own_segment().control().service.level.load(), 6U);
              EXPECT_EQ(own_segment().rings_used(), 0U);
            }),
            0);
}

PROCESS_TEST(Fork, ABadVariableIsNotReportedAgainByTheChild) {
  setenv("RINGSIDE_LEVEL", "loud", 1);
  std::vector<std::string> lines;
  {
    const StderrCapture capture;
    log_number(1);
    EXPECT_EQ(run_child([] { log_number(2); }), 0);
    lines = capture.lines();
  }
  EXPECT_EQ(lines.size(), 1U);
}

std::atomic<int> g_child{0};

void fork_and_log(int) {
  const pid_t pid = fork();
  if (pid == 0) {
    log_number(100);
    _exit(0);
  }
  g_child = pid;
}

PROCESS_TEST(Fork, WorksInASignalHandler) {
  log_number(1);
  signal(SIGUSR1, fork_and_log);
  raise(SIGUSR1);
  log_number(2);
  EXPECT_EQ(wait_for(g_child.load()), 0);
  EXPECT_EQ(numbers_in(status().segment_path), (Values{"i32 1", "i32 2"}));
  EXPECT_EQ(numbers_in(path_of_child(g_child.load())), Values{"i32 100"});
}

// The handler's child returns into the record that was being written. The record must not reach the
// child's ring, nor any place in the parent's.
PROCESS_TEST(Fork, TheChildOfAnInterruptedRecordStartsClean) {
  preallocate();
  std::uint64_t tsc = 0;
  const std::uint64_t start = rs_reserve(RS_SWITCH_ON, 8, &tsc);
  pid_t pid = 0;
  in_handler([&] {
    pid = fork();
    if (pid != 0) return;
    log_number(50);  // still in the handler: the record has no place
    log_number(51);
  });
  if (pid == 0) {
    std::memset(rs_place(start), 0xAA, 8);
    rs_publish(start, 8);
    log_number(60);
    log_number(61);
    _exit(0);
  }
  EXPECT_EQ(wait_for(pid), 0);
  const Values childs = numbers_in(path_of_child(pid));
  ASSERT_GE(childs.size(), 2U);
  EXPECT_EQ(Values(childs.end() - 2, childs.end()), (Values{"i32 60", "i32 61"}));
  in_handler([] { log_number(1); });
  SegmentReader& segment = own_segment();
  EXPECT_EQ(segment.ring(0).producer.producer_pos.load(), shm::kClockRecordBytes)
      << "the parent's record is still being written";
  const std::uint64_t head = tsc << RS_HEAD_ID_BITS | segment.site("manual in the parent").id;
  std::memcpy(rs_place(start), &head, sizeof head);
  rs_publish(start, 8);
  if (segment.rings_used() == 0) RS_INFO("manual in the parent");
  EXPECT_EQ(numbers_in(status().segment_path), Values{"i32 1"});
}

void fork_only(int) {
  const pid_t pid = fork();
  if (pid == 0) {
    log_number(70);
    g_child = -1;
    return;
  }
  g_child = pid;
}

// The same in the slow path: the handler forks while the thread waits for space.
PROCESS_TEST(Fork, TheChildOfAnInterruptedWaitReturns) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "300", 1);
  preallocate();
  while (own_segment().ring(0).producer.producer_pos.load() + 12 <= 65536) log_number(0);
  signal(SIGALRM, fork_only);
  ualarm(50'000, 0);
  log_number(1);  // waits, and is interrupted
  ASSERT_NE(g_child.load(), 0);
  if (g_child.load() == -1) {  // the child
    log_number(80);
    const Values own = numbers_in(status().segment_path);
    _exit(!own.empty() && own.back() == "i32 80" ? 0 : 3);
  }
  EXPECT_EQ(wait_for(g_child.load()), 0);
  EXPECT_EQ(own_segment().ring(0).counters.dropped_total.load(), 1U);
}

}  // namespace
}  // namespace ringside::test
