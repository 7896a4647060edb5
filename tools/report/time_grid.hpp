#pragma once
// Intervals of equal length over a trace whose end is not known beforehand: their length doubles.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ringside::tool {

// Not thread-safe.
class TimeGrid {
 public:
  static constexpr std::size_t kIntervals = 256;

  // Before the first time: the trace is known to last until then, so that intervals begin with the
  // length that they need in the end.
  void expect(std::uint64_t until_ns) { until_ns_ = until_ns; }

  // The interval of a time; a time before the first one that was asked for is in the first. May
  // double the length.
  std::size_t interval(std::uint64_t unix_ns) {
    if (begin_ns_ == kNever) [[unlikely]] {
      begin_ns_ = unix_ns;
      while (until_ns_ > begin_ns_ && (until_ns_ - begin_ns_) >> shift_ >= kIntervals) ++shift_;
    }
    const std::uint64_t at_ns = unix_ns < begin_ns_ ? 0 : unix_ns - begin_ns_;
    while (at_ns >> shift_ >= kIntervals) ++shift_;
    return static_cast<std::size_t>(at_ns >> shift_);
  }

  // Of a time that was asked for before.
  std::size_t known_interval(std::uint64_t unix_ns) const {
    return unix_ns < begin_ns_ ? 0 : static_cast<std::size_t>((unix_ns - begin_ns_) >> shift_);
  }

  std::uint64_t begin_ns() const { return begin_ns_ == kNever ? 0 : begin_ns_; }
  // Intervals are 2^shift() ns long.
  unsigned shift() const { return shift_; }

 private:
  static constexpr std::uint64_t kNever = UINT64_MAX;
  static constexpr unsigned kFirstShift = 10;

  std::uint64_t until_ns_ = 0;
  std::uint64_t begin_ns_ = kNever;
  unsigned shift_ = kFirstShift;
};

// A number for each interval of a grid. Follows the grid when it is used.
template <class Number>
class GridCounts {
 public:
  void add(const TimeGrid& grid, std::size_t interval, Number number) {
    at(grid, interval) += number;
  }

  // Valid until the grid becomes coarser.
  Number& at(const TimeGrid& grid, std::size_t interval) {
    if (shift_ != grid.shift()) [[unlikely]]
      follow(grid);
    return counts_[interval];
  }

  // Adds the numbers of another one of the same grid, which follows the grid, too.
  void merge(const TimeGrid& grid, GridCounts& other) {
    follow(grid);
    other.follow(grid);
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }

  const std::array<Number, TimeGrid::kIntervals>& counts(const TimeGrid& grid) {
    follow(grid);
    return counts_;
  }

 private:
  void follow(const TimeGrid& grid) {
    // Nothing is there before the first use.
    if (shift_ == 0) shift_ = grid.shift();
    for (; shift_ < grid.shift(); ++shift_) {
      for (std::size_t i = 0; i < counts_.size() / 2; ++i)
        counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
      std::fill(counts_.begin() + counts_.size() / 2, counts_.end(), Number{});
    }
  }

  unsigned shift_ = 0;
  std::array<Number, TimeGrid::kIntervals> counts_{};
};

}  // namespace ringside::tool
