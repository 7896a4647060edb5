#pragma once
// For each interval of a grid, the time in which something was going on.

#include <algorithm>
#include <cstdint>

#include "tools/report/time_grid.hpp"

namespace ringside::tool {

// Spans in the order of their begins; those that overlap count once. Not thread-safe.
class BusyTime {
 public:
  // An end of UINT64_MAX: none.
  void add(const TimeGrid& grid, std::uint64_t begin_ns, std::uint64_t end_ns) {
    if (until_ns_ < begin_ns) {
      count(grid);
      from_ns_ = begin_ns;
    }
    until_ns_ = std::max(until_ns_, end_ns);
  }

  // Nothing lasts longer than this. Call it once, at the end.
  void end_at(const TimeGrid& grid, std::uint64_t end_ns) {
    until_ns_ = std::min(until_ns_, end_ns);
    count(grid);
    from_ns_ = until_ns_ = 0;
  }

  GridCounts<std::uint64_t>& counts() { return counts_; }

 private:
  static std::uint64_t begin_of(const TimeGrid& grid, std::size_t interval) {
    return grid.begin_ns() + (std::uint64_t{interval} << grid.shift());
  }

  void count(const TimeGrid& grid) {
    const std::uint64_t until_ns = std::min(until_ns_, begin_of(grid, TimeGrid::kIntervals));
    std::uint64_t from_ns = std::max(from_ns_, grid.begin_ns());
    while (from_ns < until_ns) {
      const std::size_t interval = grid.known_interval(from_ns);
      const std::uint64_t next_ns = std::min(until_ns, begin_of(grid, interval + 1));
      counts_.add(grid, interval, next_ns - from_ns);
      from_ns = next_ns;
    }
  }

  std::uint64_t from_ns_ = 0;
  std::uint64_t until_ns_ = 0;
  GridCounts<std::uint64_t> counts_;
};

}  // namespace ringside::tool
