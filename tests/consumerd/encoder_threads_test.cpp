// The encoder threads: each round runs each thread's work once, and what one round wrote is seen by
// the next.

#include "consumerd/drain/encoder_threads.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace {

using ringside::consumer::EncoderThreads;

TEST(EncoderThreads, EachRoundRunsTheWorkOfEachThreadOnce) {
  EncoderThreads threads;
  threads.start(3);
  ASSERT_EQ(threads.count(), 3U);
  // Not atomic: two rounds must not overlap, and the caller must see what the others wrote.
  std::vector<std::uint64_t> sums(3, 0);
  std::uint64_t expected = 0;
  for (std::uint64_t round = 1; round <= 300; ++round) {
    threads.run(3, [&](std::uint32_t thread) { sums[thread] += round; });
    expected += round;
    ASSERT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), 3 * expected);
    // Any thread may take over what another one had.
    std::swap(sums[0], sums[round % 3]);
  }
}

TEST(EncoderThreads, ThreadsThatARoundDoesNotUseDoNothing) {
  EncoderThreads threads;
  threads.start(4);
  std::vector<int> calls(4, 0);
  for (const std::uint32_t used : {1U, 2U, 4U, 1U, 3U}) {
    threads.run(used, [&](std::uint32_t thread) { ++calls[thread]; });
  }
  EXPECT_EQ(calls, (std::vector<int>{5, 3, 2, 1}));
}

TEST(EncoderThreads, OneThreadIsTheCaller) {
  EncoderThreads threads;
  threads.start(1);
  int calls = 0;
  threads.run(1, [&](std::uint32_t thread) { calls += thread == 0 ? 1 : 100; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
