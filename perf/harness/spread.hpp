#pragma once
// Summarises repeated measurements as median, quartiles and quietest value.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ringside::perf {

enum class Better { lower, higher };

struct Spread {
  double median = 0;
  double low = 0;  // quartiles
  double high = 0;
  double best = 0;  // the quietest: lowest cost, highest rate
  std::size_t repeats = 0;
};

inline Spread spread_of(std::vector<double> values, Better better = Better::lower) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values[n / 2], values[n / 4], values[(n - 1) - n / 4],
          better == Better::lower ? values.front() : values.back(), n};
}

// For ratios that were taken pair by pair. The quietest is the ratio of the two quietest costs: the
// lowest ratio of all pairs is the one whose floor was disturbed most.
inline Spread ratio_spread(const std::vector<double>& ratios, const std::vector<double>& costs,
                           const std::vector<double>& floors) {
  Spread spread = spread_of(ratios);
  const double floor = spread_of(floors).best;
  if (floor > 0) spread.best = spread_of(costs).best / floor;
  return spread;
}

// The value that `permyriad` / 10,000 of the sorted values do not exceed.
template <class T>
T percentile(const std::vector<T>& sorted, std::size_t permyriad) {
  const std::size_t at = sorted.size() * permyriad / 10'000;
  return sorted[std::min(at, sorted.size() - 1)];
}

}  // namespace ringside::perf
