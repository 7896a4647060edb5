// Steady-state logging makes no system call and starts no thread: a seccomp filter kills the
// process at any other call.

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <signal.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/site_switch.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

constexpr long kRecords = 1'000'000;

constexpr sock_filter statement(unsigned code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}

constexpr sock_filter allow_next_if(std::uint32_t number) {
  // If equal, continue with the "allow" that follows; otherwise skip it.
  return {static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K), 0, 1, number};
}

// Permits only write, exit and the return from a signal handler from here on.
bool forbid_system_calls() {
  const sock_filter allow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  sock_filter filter[] = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      allow_next_if(SYS_write),
      allow,
      allow_next_if(SYS_exit),
      allow,
      allow_next_if(SYS_exit_group),
      allow,
      allow_next_if(SYS_rt_sigreturn),
      allow,
      statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

[[gnu::noinline]] void log_mixture(long i, const char* text) {
  RS_INFO("filtered %ld", i);
  RS_INFO("filtered %d %s %f %p", static_cast<int>(i), text, 0.25, static_cast<const void*>(text));
}

PROCESS_TEST(SyscallFree, TheFilterItselfKills) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "sanitizers make system calls of their own";
  const int status = run_child([] {
    if (!forbid_system_calls()) _exit(9);
    syscall(SYS_getpid);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

PROCESS_TEST(SyscallFree, LoggingOneMillionRecordsIntoAFullRing) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "sanitizers make system calls of their own";
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  const pid_t pid = start_child([] {
    preallocate();
    if (!forbid_system_calls()) _exit(9);
    for (long i = 0; i < kRecords; ++i) log_mixture(i, "some text");
    _exit(0);
  });
  EXPECT_EQ(wait_for(pid), 0);
  SegmentReader segment(segments_in(shm_dir()).at(0));
  const std::uint64_t found = segment.data(0).size();
  EXPECT_EQ(found + segment.ring(0).counters.dropped_total.load(), 2U * kRecords);
}

PROCESS_TEST(SyscallFree, LoggingOneMillionRecordsThroughManyLaps) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "sanitizers make system calls of their own";
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  setenv("RINGSIDE_RING_BYTES", "1048576", 1);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t pid = start_child([&] {
    preallocate();
    if (!forbid_system_calls()) _exit(9);
    const char c = 'r';
    if (write(ready[1], &c, 1) != 1) _exit(8);
    for (long i = 0; i < kRecords; ++i) log_mixture(i, "some text");
    if (write(ready[1], &c, 1) != 1) _exit(8);
    _exit(0);
  });
  close(ready[1]);
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  // This process is the consumer: it only advances the position, for speed.
  SegmentReader segment(segments_in(shm_dir()).at(0));
  shm::RingMetadata& ring = segment.ring(0);
  int status = -1;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    ring.consumer.consumer_pos.store(ring.producer.producer_pos.load(std::memory_order_acquire),
                                     std::memory_order_release);
  }
  EXPECT_EQ(status, 0);
  EXPECT_GT(ring.producer.producer_pos.load(), 2 * (std::uint64_t{1} << 20)) << "several laps";
}

PROCESS_TEST(SyscallFree, CountingExecutions) {
  if (kAddressSanitizer || kThreadSanitizer)
    GTEST_SKIP() << "sanitizers make system calls of their own";
  const pid_t pid = start_child([] {
    log_mixture(1, "registered");
    SegmentReader& segment = own_segment();
    const std::uint32_t id = segment.site("filtered %ld").id;
    const std::uint32_t timed_id = segment.site("filtered %d %s %f %p").id;
    segment.control().switch_deadlines.tsc[0].store(UINT64_MAX);
    segment.set_site_switch(id, shm::kSwitchCounting);
    segment.set_site_switch(timed_id, shm::timed_switch(shm::kSwitchCounting, shm::kSwitchOn, 0));
    if (!forbid_system_calls()) _exit(9);
    for (long i = 0; i < kRecords; ++i) log_mixture(i, "some text");
    _exit(0);
  });
  EXPECT_EQ(wait_for(pid), 0);
  SegmentReader segment(segments_in(shm_dir()).at(0));
  for (const auto& [id, site] : segment.sites()) {
    EXPECT_EQ(segment.executions(id).counted, static_cast<std::uint64_t>(kRecords)) << site.format;
  }
  EXPECT_EQ(segment.data(0).size(), 2U);
}

PROCESS_TEST(SyscallFree, OverwritingTheOldestRecordsOverAndOver) {
  if (kAddressSanitizer) GTEST_SKIP() << "sanitizers make system calls of their own";
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const pid_t pid = start_child([] {
    preallocate();
    if (!forbid_system_calls()) _exit(9);
    for (long i = 0; i < kRecords; ++i) log_mixture(i, "some text");
    _exit(0);
  });
  EXPECT_EQ(wait_for(pid), 0);
  SegmentReader segment(segments_in(shm_dir()).at(0));
  const shm::ProducerLine& line = segment.ring(0).producer;
  const std::uint64_t end = line.producer_pos.load();
  const shm::OldestRecords oldest = shm::load_oldest(line.oldest).value();
  std::uint64_t found = 0;
  for (const Record& r : segment.records(0, oldest.pos, end)) found += r.is_data() ? 1U : 0U;
  EXPECT_EQ(oldest.sequence + found, 2U * kRecords);
}

std::size_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

PROCESS_TEST(SyscallFree, LoggingStartsNoThread) {
  const std::size_t before = threads_of_process();
  for (long i = 0; i < 1000; ++i) log_mixture(i, "some text");
  EXPECT_EQ(threads_of_process(), before);
}

}  // namespace
}  // namespace ringside::test
