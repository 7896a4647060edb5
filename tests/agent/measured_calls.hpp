#pragma once
// Services that measure their log calls, and the counts of what was measured.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/call_costs.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {

inline void measure_one_in(const char* calls, const char* policy = "block") {
  setenv("RINGSIDE_COST_SAMPLING", calls, 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", policy, 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "60000", 1);
}

inline std::uint64_t sum(const shm::CostCounts& counts) {
  std::uint64_t calls = 0;
  for (const auto& count : counts.count) calls += count.load();
  return calls;
}

// The measured calls of the ring's present owner.
inline std::uint64_t measured(std::uint32_t ring = 0) {
  const shm::CallCosts& costs = own_segment().call_costs(ring);
  return sum(costs.all) - sum(costs.before);
}

// Checks the count against independent choices: their deviation, or a smaller one.
inline void expect_one_in(std::uint64_t n, std::uint64_t calls, std::uint64_t found) {
  const double mean = static_cast<double>(calls) / static_cast<double>(n);
  EXPECT_NEAR(static_cast<double>(found), mean, n == 1 ? 0 : 5 * std::sqrt(mean))
      << "one in " << n << " of " << calls;
}

// Logs numbered records of every size and form, drained meanwhile.
inline void log_of_all_sizes(std::uint64_t i) {
  static const std::string text(300, 't');
  switch (i % 6) {
    case 0:
      return [&] { RS_INFO("%lu", i); }();
    case 1:
      return [&] { RS_INFO("%lu %s", i, text.c_str() + i % 300); }();
    case 2:
      return [&] { RS_INFO("%lu %d %f", i, 1, 2.5); }();
    case 3:
      return [&] { RS_LOG_CONSUMER_CLOCK(RS_LEVEL_INFO, "%lu %u", i, 3U); }();
    case 4:
      return [&] { RS_INFO("%lu %.*s", i, static_cast<int>(i % 40), text.c_str()); }();
    default:
      return [&] { RS_INFO("%lu %d %d %d %d %d %d %d %d %d", i, 1, 2, 3, 4, 5, 6, 7, 8, 9); }();
  }
}

}  // namespace ringside::test
