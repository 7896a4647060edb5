// Huge pages for a ring that has all its memory.

#include "libagent/recording/huge_pages.hpp"

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kHugeRingBytes = 2 * kHugePageBytes;

// KiB that this process's mappings of `path` have in `what` of /proc/self/smaps.
std::uint64_t mapped_kib(const std::string& path, const std::string& what) {
  std::ifstream maps("/proc/self/smaps");
  std::uint64_t sum = 0;
  bool is_of_file = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) is_of_file = line.ends_with(path);
    if (is_of_file && line.starts_with(what + ':')) {
      sum += std::strtoull(line.c_str() + what.size() + 1, nullptr, 10);
    }
  }
  return sum;
}

// Whether this kernel has such pages, and memory for them, in files where segments are.
bool has_huge_pages() {
  std::string path = "/dev/shm/ringside-huge-pages.XXXXXX";
  const int fd = mkstemp(path.data());
  if (fd < 0) return false;
  unlink(path.c_str());
  bool has = ftruncate(fd, static_cast<off_t>(kHugePageBytes)) == 0;
  void* const place =
      mmap(nullptr, 2 * kHugePageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto begin =
      (reinterpret_cast<std::uintptr_t>(place) + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  void* const page = mmap(reinterpret_cast<void*>(begin), kHugePageBytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED, fd, 0);
  has = has && page != MAP_FAILED;
  if (has) *static_cast<volatile char*>(page) = 1;
  constexpr int kCollapse = 25;
  has = has && madvise(page, kHugePageBytes, kCollapse) == 0;
  munmap(place, 2 * kHugePageBytes);
  close(fd);
  return has;
}

PROCESS_TEST(HugePages, HoldAPreallocatedRing) {
  if (!has_huge_pages()) GTEST_SKIP() << "no huge pages for shared memory";
  setenv("RINGSIDE_HUGE_PAGES", "on", 1);
  setenv("RINGSIDE_RING_BYTES", std::to_string(kHugeRingBytes).c_str(), 1);
  RS_INFO("huge %d", 0);
  EXPECT_EQ(mapped_kib(status().segment_path, "ShmemPmdMapped"), 0U) << "the first part is small";
  ASSERT_TRUE(preallocate());
  EXPECT_EQ(mapped_kib(status().segment_path, "ShmemPmdMapped"), 3 * kHugeRingBytes >> 10)
      << "each of the three copies";
  std::int64_t next = 0;
  std::uint64_t wrong = 0;
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& record) {
    if (!record.is_data()) return;
    if (record.values[0] != "i32 " + std::to_string(next)) ++wrong;
    ++next;
  });
  constexpr int kRecords = 1'000'000;
  for (int i = 1; i < kRecords; ++i) {
    RS_INFO("huge %d", i);
    if (i % 1000 == 0) consumer.poll();
  }
  consumer.poll();
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(next, kRecords);
}

PROCESS_TEST(HugePages, AreUsedOnRequestOnly) {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kHugeRingBytes).c_str(), 1);
  RS_INFO("ordinary %d", 0);
  ASSERT_TRUE(preallocate());
  EXPECT_EQ(mapped_kib(status().segment_path, "ShmemPmdMapped"), 0U);
}

PROCESS_TEST(HugePages, AreNotForSmallRings) {
  setenv("RINGSIDE_HUGE_PAGES", "on", 1);
  RS_INFO("small %d", 0);
  ASSERT_TRUE(preallocate());
  EXPECT_EQ(mapped_kib(status().segment_path, "ShmemPmdMapped"), 0U);
}

}  // namespace
}  // namespace ringside::test
