#pragma once
// When records were lost, by thread: of many losses, neighbours are joined.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

struct LostInterval {
  std::uint64_t from_ns = 0;
  std::uint64_t to_ns = 0;
  std::uint64_t lost = 0;    // records
  std::uint64_t joined = 1;  // losses that it consists of
  std::uint32_t stream = 0;
  trace::LossCause cause = trace::LossCause::kUnknown;
};

// Neighbours of one thread and cause are joined, the nearest ones first. So the whole trace is
// covered, unless more threads than kMost have losses: then those of the fewest records are left
// out. Not thread-safe. Memory: 2 * kMost.
class LostIntervals {
 public:
  static constexpr std::size_t kMost = 2'000;

  void add(const LostInterval& interval) {
    intervals_.push_back(interval);
    if (intervals_.size() > 2 * kMost) reduce();
  }

  // kMost at most, by their ends.
  std::vector<LostInterval> sorted();

  // Losses that are in no interval.
  std::uint64_t left_out() const { return left_out_; }

 private:
  void reduce();
  void join_nearest();
  void drop_least();

  std::vector<LostInterval> intervals_;
  std::uint64_t left_out_ = 0;
};

}  // namespace ringside::tool
