// Children that are created without fork: vfork, posix_spawn, a bare clone.

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_locks.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

void log_number(int number) {
  RS_INFO("number %d", number);
}

Values own_numbers() {
  Values numbers;
  for (const Record& r : own_segment().data(own_segment().my_ring())) {
    numbers.push_back(r.values.at(0));
  }
  return numbers;
}

[[gnu::noinline]] int log_and_exec_in_vforked_child(int number) {
  const pid_t pid = vfork();
  if (pid == 0) {
    log_number(number);
    execl("/bin/true", "true", nullptr);
    _exit(9);
  }
  return wait_for(pid);
}

// Until exec, the child of vfork runs on the parent's thread: what it logs belongs to the parent.
PROCESS_TEST(ProcessCreation, VforkAndExecLeaveTheParentsRecordsWhole) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer turns each vfork into a fork";
  for (int i = 0; i < 20; ++i) {
    log_number(3 * i);
    EXPECT_EQ(log_and_exec_in_vforked_child(3 * i + 1), 0);
    log_number(3 * i + 2);
  }
  Values expected;
  for (int i = 0; i < 60; ++i) expected.push_back("i32 " + std::to_string(i));
  EXPECT_EQ(own_numbers(), expected);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
}

// A child without a ring takes none: the ring would carry the child's name although the parent
// continues with it.
PROCESS_TEST(ProcessCreation, AVforkedChildTakesNoRingForItsParent) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer turns each vfork into a fork";
  EXPECT_EQ(log_and_exec_in_vforked_child(1), 0);
  EXPECT_EQ(status().state, State::idle);
  EXPECT_EQ(status().refused, 1U);
  init();
  EXPECT_EQ(log_and_exec_in_vforked_child(2), 0);
  EXPECT_EQ(own_segment().rings_used(), 0U);
  EXPECT_EQ(status().refused, 2U);
  log_number(3);
  EXPECT_EQ(own_numbers(), Values{"i32 3"});
}

PROCESS_TEST(ProcessCreation, SpawnedProgramsHoldNothingOfAServiceThatLogsOnAllThreads) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "60000", 1);
  init();
  std::vector<int> next(2, 0);
  TestConsumer consumer(own_segment(), [&next](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    const auto thread = static_cast<std::size_t>(std::atoi(r.values.at(0).c_str() + 4));
    EXPECT_EQ(r.values.at(1), "i32 " + std::to_string(next.at(thread)++));
  });
  consumer.start();
  std::atomic<bool> stop{false};
  std::vector<int> logged(2, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([t, &stop, &logged] {
      for (int i = 0; !stop.load(); ++i) {
        RS_INFO("thread %d record %d", t, i);
        logged[static_cast<std::size_t>(t)] = i + 1;
      }
    });
  }
  const std::string path = status().segment_path;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(run_program("/bin/true", {}), 0);
  pid_t sleeper = -1;
  std::string words[] = {"sleep", "60"};
  char* const arguments[] = {words[0].data(), words[1].data(), nullptr};
  ASSERT_EQ(posix_spawn(&sleeper, "/bin/sleep", nullptr, nullptr, arguments, environ), 0);
  for (const auto& fd : {"/proc/" + std::to_string(sleeper) + "/maps"}) {
    const int file = open(fd.c_str(), O_RDONLY | O_CLOEXEC);
    std::string maps(1 << 16, '\0');
    maps.resize(
        static_cast<std::size_t>(std::max<ssize_t>(read(file, maps.data(), maps.size()), 0)));
    close(file);
    EXPECT_EQ(maps.find(path), std::string::npos);
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  consumer.stop();
  EXPECT_EQ(next, logged);
  EXPECT_EQ(status().dropped, 0U);
  kill(sleeper, SIGKILL);
  wait_for(sleeper);
}

// No fork handler runs: the child has the parent's segment, and must not remove it when it exits.
PROCESS_TEST(ProcessCreation, AChildOfABareCloneLeavesTheSegmentAlone) {
  log_number(1);
  const std::string path = status().segment_path;
  std::fflush(nullptr);
  const auto pid = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (pid == 0) std::exit(0);  // NOLINT(concurrency-mt-unsafe): runs all destructors
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_EQ(own_segment().header().state.load(),
            static_cast<std::uint32_t>(shm::SegmentState::kLive));
  EXPECT_TRUE(is_locked(path));
  log_number(2);
  EXPECT_EQ(own_numbers(), (Values{"i32 1", "i32 2"}));
}

}  // namespace
}  // namespace ringside::test
