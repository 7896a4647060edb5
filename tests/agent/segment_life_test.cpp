// The segment's file: its name, permissions, lock and header.

#include <cmath>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/segment_name.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_locks.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

// Asks as a consumer does: F_GETLK with its own open file description.
std::string only_segment() {
  const std::vector<std::string> paths = segments_in(shm_dir());
  EXPECT_EQ(paths.size(), 1U);
  return paths.empty() ? std::string() : paths[0];
}

PROCESS_TEST(SegmentLife, FileBelongsToTheOwnerAlone) {
  const mode_t old_mask = umask(0);
  RS_INFO("made");
  umask(old_mask);
  struct stat info {};
  ASSERT_EQ(stat(status().segment_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_TRUE(S_ISREG(info.st_mode));
  EXPECT_EQ(static_cast<std::uint64_t>(info.st_size), own_segment().header().segment_bytes);
}

PROCESS_TEST(SegmentLife, NameContainsServiceAndPid) {
  Options options;
  options.service = "name-test";
  init(options);
  const std::string name = std::filesystem::path(status().segment_path).filename();
  const std::string wanted = "ringside.name-test." + std::to_string(getpid()) + ".";
  EXPECT_TRUE(name.starts_with(wanted)) << name;
  EXPECT_EQ(name.size(), wanted.size() + 16);
  EXPECT_EQ(shm::service_of_segment_name(name), "name-test");
}

PROCESS_TEST(SegmentLife, ASecondInitChangesNothing) {
  const std::string path = init().segment_path;
  Options options;
  options.service = "other";
  EXPECT_EQ(init(options).segment_path, path);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
}

PROCESS_TEST(SegmentLife, HeaderNamesTheProcessAndItsStart) {
  const std::uint64_t tsc_before = shm::read_tsc();
  const std::uint64_t mono_before = shm::read_clock_ns(CLOCK_MONOTONIC);
  const std::uint64_t real_before = shm::read_clock_ns(CLOCK_REALTIME);
  init();
  const std::uint64_t tsc_after = shm::read_tsc();
  const shm::SegmentHeader& h = own_segment().header();
  EXPECT_EQ(h.version.load(), shm::kAbiVersion);
  EXPECT_EQ(h.byte_order_mark, 0x01020304U);
  EXPECT_EQ(h.header_bytes, sizeof(shm::SegmentHeader));
  EXPECT_EQ(h.state.load(), static_cast<std::uint32_t>(shm::SegmentState::kLive));
  EXPECT_EQ(h.pid, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(h.uid, geteuid());
  EXPECT_EQ(h.gid, getegid());
  EXPECT_EQ(std::string(h.exe), std::filesystem::read_symlink("/proc/self/exe").string());
  char host[64] = {};
  gethostname(host, sizeof host - 1);
  EXPECT_STREQ(h.host, host);
  EXPECT_LE(tsc_before, h.start_tsc);
  EXPECT_GE(tsc_after, h.start_tsc);
  EXPECT_LE(mono_before, h.start_monotonic_ns);
  EXPECT_LE(real_before, h.start_realtime_ns + 1'000'000'000U);
  const std::uint8_t zero[16] = {};
  EXPECT_NE(std::memcmp(h.uuid, zero, 16), 0);

  std::string boot_id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot_id;
  std::erase(boot_id, '-');
  std::string hex;
  for (const std::uint8_t byte : h.boot_id) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  EXPECT_EQ(hex, boot_id);
}

PROCESS_TEST(SegmentLife, HeaderDescribesTheRegions) {
  init();
  const shm::SegmentHeader& h = own_segment().header();
  std::uint64_t end = shm::kPageBytes;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(h.regions[i].kind, static_cast<shm::RegionKind>(i + 1));
    EXPECT_GE(h.regions[i].offset, end);
    end = h.regions[i].offset + h.regions[i].bytes;
  }
  EXPECT_EQ(h.regions[1].stride, sizeof(shm::RingMetadata));
  EXPECT_EQ(end, h.segment_bytes);
  EXPECT_EQ(h.max_record_bytes, h.ring_bytes / 4);
  EXPECT_EQ(h.field_offsets.producer_pos, 0U);
  EXPECT_EQ(h.field_offsets.consumer_pos, 128U);
  EXPECT_EQ(h.field_offsets.ring_state, 192U);
}

// A bound of 2 % catches a wrong unit or CPUID leaf, not a slow machine.
PROCESS_TEST(SegmentLife, TscFrequencyMatchesTheMonotonicClock) {
  init();
  const shm::TickReading start = shm::read_tick_pair(CLOCK_MONOTONIC);
  const timespec nap{0, 100'000'000};
  nanosleep(&nap, nullptr);
  const shm::TickReading end = shm::read_tick_pair(CLOCK_MONOTONIC);
  const double measured =
      static_cast<double>(end.tsc - start.tsc) * 1e9 / static_cast<double>(end.ns - start.ns);
  const auto claimed = static_cast<double>(own_segment().header().tsc_frequency_hz);
  EXPECT_LT(std::abs(claimed / measured - 1), 0.02) << claimed << " and " << measured;
}

PROCESS_TEST(SegmentLife, LockIsHeldForLifeAndDroppedAtExit) {
  int ready[2];
  int go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  const pid_t pid = start_child([&] {
    RS_INFO("alive");
    char c = 'r';
    ASSERT_EQ(write(ready[1], &c, 1), 1);
    ASSERT_EQ(read(go[0], &c, 1), 1);
  });
  char c = 'g';
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  const std::string path = only_segment();
  EXPECT_TRUE(is_locked(path, shm::kServiceLockByte));
  EXPECT_FALSE(is_locked(path, shm::kConsumerLockByte));
  ASSERT_EQ(write(go[1], &c, 1), 1);
  EXPECT_EQ(wait_for(pid), 0);
  EXPECT_FALSE(is_locked(path, shm::kServiceLockByte));
}

PROCESS_TEST(SegmentLife, LockIsDroppedAtSigkillAndTheRecordsRemain) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t pid = start_child([&] {
    for (int i = 0; i < 1000; ++i) RS_INFO("before the kill %d", i);
    const char c = 'r';
    ASSERT_EQ(write(ready[1], &c, 1), 1);
    for (;;) pause();
  });
  char c = 0;
  ASSERT_EQ(read(ready[0], &c, 1), 1);
  const std::string path = only_segment();
  EXPECT_TRUE(is_locked(path, shm::kServiceLockByte));
  kill(pid, SIGKILL);
  EXPECT_EQ(WTERMSIG(wait_for(pid)), SIGKILL);
  EXPECT_FALSE(is_locked(path, shm::kServiceLockByte));
  SegmentReader segment(path);
  const std::vector<Record> data = segment.data(0);
  EXPECT_EQ(segment.header().state.load(), static_cast<std::uint32_t>(shm::SegmentState::kLive));
  ASSERT_EQ(data.size(), 1000U);
  EXPECT_EQ(data[999].values[0], "i32 999");
}

PROCESS_TEST(SegmentLife, AnOrderlyEndIsLabelled) {
  const pid_t pid = start_child([] {
    RS_INFO("the last words");
    exit(0);  // NOLINT(concurrency-mt-unsafe): the only thread
  });
  EXPECT_EQ(wait_for(pid), 0);
  SegmentReader segment(only_segment());
  EXPECT_EQ(segment.header().state.load(), static_cast<std::uint32_t>(shm::SegmentState::kClosed));
}

PROCESS_TEST(SegmentLife, AnExecutedProgramKeepsNoLock) {
  const pid_t pid = start_child([] {
    RS_INFO("before exec");
    execl("/bin/sleep", "sleep", "60", nullptr);
    ADD_FAILURE() << "exec failed";
  });
  wait_until([] { return !segments_in(shm_dir()).empty(); });
  const std::string path = only_segment();
  wait_until([&] { return !is_locked(path, shm::kServiceLockByte); });
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "the program still runs";
  kill(pid, SIGKILL);
  wait_for(pid);
}

}  // namespace
}  // namespace ringside::test
