// The segment's file is truncated while several threads log, or while it is created.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/application-safety/cut_segment.hpp"

namespace ringside::test {
namespace {

// Truncates whatever appears in the segment directory, until `stop`.
void truncate_new_segments(const std::atomic<bool>& stop) {
  while (!stop) {
    for (const std::string& path : segments_in(shm_dir())) truncate(path.c_str(), 0);
  }
}

// Signals are blocked when the first segment is created, and in threads that wait meanwhile.
PROCESS_TEST(TruncatedSegment, FirstSegmentIsTruncatedWhileItIsCreated) {
  constexpr int kRounds = 20;
  let_the_group_write();
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_EQ(run_child([] {
                std::atomic<bool> stop{false};
                std::thread truncating([&stop] { truncate_new_segments(stop); });
                std::thread second([] { log_number(1); });
                log_number(2);
                second.join();
                stop = true;
                truncating.join();
              }),
              0);
    for (const std::string& path : segments_in(shm_dir())) unlink(path.c_str());
  }
}

class TruncatedWhileThreadsLog : public ::testing::TestWithParam<const char*> {};

void run_threads_and_truncate() {
  constexpr int kThreads = 4;
  constexpr int kRounds = 6;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> logged[kThreads]{};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (auto& count : logged) {
    threads.emplace_back([&stop, &count] {
      while (!stop) {
        log_number(static_cast<int>(++count));
        RS_INFO("text %s", "of some bytes");
      }
    });
  }
  const auto all_go_on = [&logged] {
    for (auto& count : logged) {
      const std::uint64_t seen = count;
      wait_until([&count, seen] { return count > seen + 100; });
    }
  };
  for (int round = 0; round < kRounds; ++round) {
    all_go_on();
    const off_t at = round % 3 == 0 ? 0 : begin_of_ring(static_cast<std::uint32_t>(round % 3));
    const std::string cut = cut_segment(at);
    all_go_on();
    wait_until([&cut] { return status().segment_path != cut; });
  }
  all_go_on();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(status().state, State::live);
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
  EXPECT_GE(losses(LossCause::no_shared_memory), 4U);
  SegmentReader segment(status().segment_path);
  if (segment.header().sub_buffer_bytes == 0) {
    EXPECT_FALSE(numbers_in(segment).empty()) << "sound records in the last one";
  }
}

TEST_P(TruncatedWhileThreadsLog, AllOfThemGoOn) {
  setenv("RINGSIDE_TEST_POLICY", GetParam(), 1);
  run_in_process([] {
    let_the_group_write();
    setenv("RINGSIDE_OVERFLOW", std::getenv("RINGSIDE_TEST_POLICY"), 1);
    setenv("RINGSIDE_RING_BYTES", "65536", 1);
    setenv("RINGSIDE_MAX_THREADS", "8", 1);
    setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "1", 1);
    run_threads_and_truncate();
  });
}

INSTANTIATE_TEST_SUITE_P(Policies, TruncatedWhileThreadsLog,
                         ::testing::Values("block", "drop", "overwrite"),
                         [](const auto& policy) { return std::string(policy.param); });

}  // namespace
}  // namespace ringside::test
