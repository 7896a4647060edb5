// Thousands of threads that log once and end (RINGSIDE_TEST_THREADS sets how many): neither memory
// nor descriptors nor the segment grow.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

constexpr int kAtATime = 4;
constexpr int kThreadsBeforeFirstLook = 4'000;
// Far less than the smallest allocation per thread would need.
constexpr std::int64_t kPagesOfTheAllocator = 250;

std::int64_t thread_count() {
  const char* const wanted = std::getenv("RINGSIDE_TEST_THREADS");
  return wanted != nullptr ? std::atol(wanted) : 40'000;
}

// The resources that must not grow.
struct Holdings {
  std::int64_t resident_pages = 0;
  std::int64_t mappings = 0;
  std::int64_t descriptors = 0;
  std::int64_t segment_blocks = 0;
  std::int64_t segments = 0;

  static Holdings now() {
    Holdings h;
    std::int64_t size = 0;
    std::ifstream("/proc/self/statm") >> size >> h.resident_pages;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++h.mappings;
    h.descriptors = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    h.segments = static_cast<std::int64_t>(segments_in(shm_dir()).size());
    struct stat info {};
    if (stat(status().segment_path.c_str(), &info) == 0) h.segment_blocks = info.st_blocks;
    return h;
  }
};

void* log_once(void* number) {
  RS_INFO("short thread %ld", static_cast<long>(reinterpret_cast<std::intptr_t>(number)));
  return nullptr;
}

PROCESS_TEST(ThreadChurn, CostsNeitherMemoryNorFiles) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  init();
  SegmentReader& segment = own_segment();
  std::int64_t found = 0;
  std::int64_t sum = 0;
  TestConsumer consumer(segment, [&](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    ++found;
    sum += std::atol(r.values.at(0).c_str() + 4);
  });
  const std::int64_t count = thread_count() / kAtATime * kAtATime;
  Holdings early;
  for (std::int64_t i = 0; i < count; i += kAtATime) {
    pthread_t threads[kAtATime];
    for (int t = 0; t < kAtATime; ++t) {
      ASSERT_EQ(pthread_create(&threads[t], nullptr, log_once, reinterpret_cast<void*>(i + t)), 0);
    }
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
    consumer.poll();
    if (i == kThreadsBeforeFirstLook) early = Holdings::now();
  }
  const Holdings late = Holdings::now();
  EXPECT_EQ(found, count);
  EXPECT_EQ(sum, count * (count - 1) / 2);
  EXPECT_EQ(status().dropped + status().refused, 0U);
  EXPECT_LE(segment.rings_used(), static_cast<std::uint32_t>(kAtATime));
  EXPECT_EQ(late.segments, 1);
  EXPECT_EQ(late.segment_blocks, early.segment_blocks);
  EXPECT_EQ(late.descriptors, early.descriptors);
  if (!kAddressSanitizer &&
      !kThreadSanitizer) {  // the sanitizers keep freed memory, and notes about threads
    // The C library keeps a few stacks for the next threads, and an arena for each core.
    EXPECT_LE(late.mappings, early.mappings + 2L * kAtATime);
    EXPECT_LE(late.resident_pages, early.resident_pages + kPagesOfTheAllocator);
  }
  std::printf("%ld threads: %ld resident pages after %d, %ld at the end\n",
              static_cast<long>(count), static_cast<long>(early.resident_pages),
              kThreadsBeforeFirstLook, static_cast<long>(late.resident_pages));
}

}  // namespace
}  // namespace ringside::test
