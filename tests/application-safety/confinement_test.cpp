// Processes that drop privileges between log calls: another user, another root directory, no system
// calls.

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;
constexpr uid_t kNobody = 65534;

void log_number(int number) {
  RS_INFO("number %d", number);
}

Values numbers_in(SegmentReader& segment, std::uint32_t ring) {
  Values numbers;
  for (const Record& r : segment.data(ring)) numbers.push_back(r.values.at(0));
  return numbers;
}

// After the privileges are dropped, this thread keeps logging. A new thread gets a ring through the
// open descriptor. A child cannot create a segment; its records are refused and counted.
void go_on_without_rights() {
  log_number(2);
  std::thread([] { log_number(3); }).join();
  EXPECT_EQ(status().refused, 0U);
  EXPECT_EQ(run_child([] {
              const StderrCapture capture;
              log_number(4);
              EXPECT_EQ(status().state, State::failed);
              EXPECT_EQ(status().refused, 1U);
              EXPECT_NE(status().message.find("cannot create"), std::string::npos)
                  << status().message;
            }),
            0);
  log_number(5);
}

void check_what_was_recorded(SegmentReader& segment) {
  EXPECT_EQ(numbers_in(segment, 0), (Values{"i32 1", "i32 2", "i32 5"}));
  EXPECT_EQ(numbers_in(segment, 1), Values{"i32 3"});
}

PROCESS_TEST(Confinement, AnotherUserFromOneCallToTheNext) {
  log_number(1);
  SegmentReader& segment = own_segment();
  if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0) {
    GTEST_SKIP() << "only root can become another user: " << std::strerror(errno);
  }
  go_on_without_rights();
  check_what_was_recorded(segment);
}

PROCESS_TEST(Confinement, AnotherRootFromOneCallToTheNext) {
  log_number(1);
  SegmentReader& segment = own_segment();
  const std::string jail = shm_dir() + "/jail";
  ASSERT_EQ(mkdir(jail.c_str(), 0700), 0);
  if (chroot(jail.c_str()) != 0 || chdir("/") != 0) {
    GTEST_SKIP() << "chroot is not permitted: " << std::strerror(errno);
  }
  go_on_without_rights();
  check_what_was_recorded(segment);
}

constexpr sock_filter statement(unsigned code, std::uint32_t k, std::uint8_t skip_if_not = 0) {
  return {static_cast<std::uint16_t>(code), 0, skip_if_not, k};
}

// Permits only read, write and exit; any other call kills the process.
bool forbid_all_but_read_write_exit() {
  constexpr unsigned kEqual = BPF_JMP | BPF_JEQ | BPF_K;
  const sock_filter allow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_filter filter[] = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      statement(kEqual, SYS_read, 1),
      allow,
      statement(kEqual, SYS_write, 1),
      allow,
      statement(kEqual, SYS_exit, 1),
      allow,
      statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

PROCESS_TEST(Confinement, NothingButReadWriteAndExitAfterPreallocate) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers make system calls of their own";
  }
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  const pid_t pid = start_child([] {
    const std::string text(5000, 'x');
    preallocate();
    if (!forbid_all_but_read_write_exit()) _exit(9);
    for (int i = 0; i < 100'000; ++i) {
      log_number(i);
      if (i % 1000 == 0) RS_WARNING("a long text %s", text.c_str());
    }
    const char done[] = "still alive\n";
    if (write(STDOUT_FILENO, done, sizeof done - 1) < 0) syscall(SYS_exit, 8);
    syscall(SYS_exit, 0);
  });
  const int status = wait_for(pid);
  ASSERT_EQ(status, 0) << (WIFSIGNALED(status) ? "killed for a system call" : "failed");
  SegmentReader segment(segments_in(shm_dir()).at(0));
  const std::uint64_t found = segment.data(0).size();
  EXPECT_GT(found, 0U);
  EXPECT_EQ(found + segment.ring(0).counters.dropped_total.load(), 100'100U);
}

// Logs for longer than the interval of the segment file's checks, under a filter that forbids them.
void expect_no_check_after(const std::function<void()>& prepare, std::size_t records_before) {
  setenv("RINGSIDE_OVERFLOW", "block", 1);
  const pid_t pid = start_child([&] {
    prepare();
    if (!forbid_all_but_read_write_exit()) _exit(9);
    const auto begin = std::chrono::steady_clock::now();  // without a system call
    auto next = begin;
    int number = 0;
    while (next - begin < std::chrono::milliseconds(2500)) {
      if (std::chrono::steady_clock::now() < next) continue;
      next += std::chrono::milliseconds(5);
      log_number(number++);
    }
    syscall(SYS_exit, 0);
  });
  const int status = wait_for(pid);
  ASSERT_EQ(status, 0) << (WIFSIGNALED(status) ? "killed for a system call" : "failed");
  SegmentReader segment(segments_in(shm_dir()).at(0));
  EXPECT_EQ(segment.data(0).size(), records_before + 500U);
}

PROCESS_TEST(Confinement, ThreadsThatPreallocatedDoNotCheckTheSegmentFile) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers make system calls of their own";
  }
  expect_no_check_after([] { preallocate(); }, 0);
}

PROCESS_TEST(Confinement, NoThreadChecksTheSegmentFileOnceThePolicyIsDrop) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers make system calls of their own";
  }
  expect_no_check_after(
      [] {
        log_number(-1);
        own_segment().control().service.overflow_policy.store(
            static_cast<std::uint32_t>(shm::OverflowPolicy::kDrop));  // as ringctl does
      },
      1);
}

}  // namespace
}  // namespace ringside::test
