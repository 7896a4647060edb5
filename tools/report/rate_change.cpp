#include "tools/report/rate_change.hpp"

#include <algorithm>

namespace ringside::tool {

RateBatches rate_batches(const TimeGrid& before, std::uint64_t before_ns, const TimeGrid& after,
                         std::uint64_t after_ns) {
  constexpr std::uint64_t kUsualBatches = 32;
  constexpr std::uint64_t kLeastBatches = 8;
  // Intervals are powers of two, so a multiple of the longer one has whole intervals of both.
  const std::uint64_t interval = std::uint64_t{1} << std::max(before.shift(), after.shift());
  const std::uint64_t target_ns = std::min(std::max(before_ns, after_ns) / kUsualBatches,
                                           std::min(before_ns, after_ns) / kLeastBatches);
  RateBatches batches;
  batches.length_ns = std::max<std::uint64_t>(1, target_ns / interval) * interval;
  batches.before = static_cast<std::size_t>(before_ns / batches.length_ns);
  batches.after = static_cast<std::size_t>(after_ns / batches.length_ns);
  return batches;
}

std::vector<double> batch_counts(const std::array<std::uint32_t, TimeGrid::kIntervals>& counts,
                                 const TimeGrid& grid, std::uint64_t length_ns,
                                 std::size_t batches) {
  std::vector<double> result(batches, 0);
  const auto each = static_cast<std::size_t>(length_ns >> grid.shift());
  for (std::size_t i = 0; i < counts.size() && i / each < batches; ++i)
    result[i / each] += counts[i];
  return result;
}

double common_rate_ratio(std::vector<RateRatio> ratios) {
  constexpr std::size_t kLeast = 3;
  if (ratios.size() < kLeast) return 1;
  std::sort(ratios.begin(), ratios.end(),
            [](const RateRatio& a, const RateRatio& b) { return a.ratio < b.ratio; });
  std::size_t all = 0;
  for (const RateRatio& each : ratios) all += each.batches;
  std::size_t seen = 0;
  for (const RateRatio& each : ratios) {
    seen += each.batches;
    if (2 * seen >= all) return each.ratio;
  }
  return 1;
}

}  // namespace ringside::tool
