// Count, sum, minimum, maximum, mean and standard deviation of numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "trace-format/text/value.hpp"

namespace ringside::trace::query {

// T: an integer of up to 64 bits, or double. Sums of integers are exact. NaNs are counted but
// otherwise ignored. Mean and deviation are rounded like any sum of doubles; the deviation is that
// of the population (divided by the count).
template <class T>
requires std::integral<T> || std::same_as<T, double>
class Summary {
 public:
  using Sum = std::conditional_t<std::integral<T>, Int128, double>;

  void add(T value) {
    if constexpr (!std::integral<T>) {
      if (std::isnan(value)) [[unlikely]] {
        ++nans_;
        return;
      }
    }
    // Distances from the first value: if the values are far from 0, their squares would absorb the
    // differences.
    if (count_ == 0) [[unlikely]]
      begin(value);
    ++count_;
    sum_ += static_cast<Sum>(value);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    const double distance = distance_of(value);
    distances_ += distance;
    squares_ += distance * distance;
  }

  void merge(const Summary& other) {
    nans_ += other.nans_;
    if (other.count_ == 0) return;
    if (count_ == 0) begin(other.first_);
    const double shift = distance_of(other.first_);
    const auto others = static_cast<double>(other.count_);
    squares_ += other.squares_ + 2 * shift * other.distances_ + others * shift * shift;
    distances_ += other.distances_ + others * shift;
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t nans() const { return nans_; }
  Sum sum() const { return sum_; }
  // 0 without numbers, like all below.
  T min() const { return min_; }
  T max() const { return max_; }
  double mean() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  double deviation() const {
    if (count_ == 0) return 0;
    const auto n = static_cast<double>(count_);
    const double mean = distances_ / n;
    return std::sqrt(std::max(0.0, squares_ / n - mean * mean));
  }

 private:
  void begin(T value) { first_ = min_ = max_ = value; }
  double distance_of(T value) const {
    if constexpr (std::integral<T> && sizeof(T) < 8) {
      return static_cast<double>(std::int64_t{value} - std::int64_t{first_});
    } else if constexpr (std::integral<T>) {
      std::int64_t distance = 0;
      if (!__builtin_sub_overflow(value, first_, &distance)) [[likely]]
        return static_cast<double>(distance);
      return static_cast<double>(static_cast<Int128>(value) - static_cast<Int128>(first_));
    } else {
      return value - first_;
    }
  }

  std::uint64_t count_ = 0;
  std::uint64_t nans_ = 0;
  Sum sum_ = 0;
  T min_ = 0;
  T max_ = 0;
  T first_ = 0;
  double distances_ = 0;
  double squares_ = 0;
};

}  // namespace ringside::trace::query
