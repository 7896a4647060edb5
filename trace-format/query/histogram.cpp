#include "trace-format/query/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace ringside::trace::query {

Histogram::Histogram(double low, double high, std::size_t rows, Scale scale)
    : low_(low),
      high_(std::max(low, high)),
      scale_(low > 0 ? scale : Scale::kLinear),
      counts_(low < high ? std::max<std::size_t>(rows, 1) : 1) {}

double Histogram::edge(std::size_t row) const {
  if (row == 0) return low_;
  if (row >= counts_.size()) return high_;
  const double share = static_cast<double>(row) / static_cast<double>(counts_.size());
  if (scale_ == Scale::kLogarithmic) return low_ * std::pow(high_ / low_, share);
  // Not low + share * (high - low): the difference of two doubles may overflow.
  return low_ * (1 - share) + high_ * share;
}

void Histogram::add(double value) {
  if (value != value) return;
  if (value < low_) {
    ++below_;
    return;
  }
  if (value > high_) {
    ++above_;
    return;
  }
  // By the edges themselves, so that printed and counted ranges are the same.
  std::size_t first = 0;
  std::size_t last = counts_.size() - 1;
  while (first < last) {
    const std::size_t middle = first + (last - first + 1) / 2;
    if (value >= edge(middle)) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  ++counts_[first];
}

void Histogram::merge(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size() && i < other.counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
  below_ += other.below_;
  above_ += other.above_;
}

std::uint64_t Histogram::most() const {
  return *std::max_element(counts_.begin(), counts_.end());
}

}  // namespace ringside::trace::query
