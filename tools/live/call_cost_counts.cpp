#include "tools/live/call_cost_counts.hpp"

#include <algorithm>
#include <cstddef>

namespace ringside::tool {
namespace {

// The service can write any value to the counters: sums saturate.
std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

std::uint64_t growth(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

}  // namespace

std::uint64_t CallCostCounts::calls() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t number : count) sum = sum_of(sum, number);
  return sum;
}

void CallCostCounts::add(const CallCostCounts& other) {
  ticks = sum_of(ticks, other.ticks);
  waited = sum_of(waited, other.waited);
  for (std::size_t i = 0; i < count.size(); ++i) count[i] = sum_of(count[i], other.count[i]);
}

CallCostCounts CallCostCounts::since(const CallCostCounts& before) const {
  CallCostCounts grown;
  grown.ticks = growth(before.ticks, ticks);
  grown.waited = growth(before.waited, waited);
  for (std::size_t i = 0; i < count.size(); ++i) {
    grown.count[i] = growth(before.count[i], count[i]);
  }
  return grown;
}

double CallCostCounts::mean_ticks() const {
  const std::uint64_t all = calls();
  return all != 0 ? static_cast<double>(ticks) / static_cast<double>(all) : 0;
}

double CallCostCounts::quantile_ticks(unsigned permille) const {
  const double wanted = static_cast<double>(calls()) * permille / 1000;
  double below = 0;
  for (std::size_t i = 0; i < count.size(); ++i) {
    const auto here = static_cast<double>(count[i]);
    if (here > 0 && below + here >= wanted) {
      const auto begin = static_cast<double>(shm::cost_bucket_begin(i));
      const auto end = static_cast<double>(shm::cost_bucket_begin(i + 1));
      return begin + (end - begin) * std::clamp((wanted - below) / here, 0.0, 1.0);
    }
    below += here;
  }
  return 0;
}

std::uint64_t CallCostCounts::most_ticks() const {
  for (std::size_t i = count.size(); i-- > 0;) {
    if (count[i] != 0) return shm::cost_bucket_begin(i + 1);
  }
  return 0;
}

double cost_ns(double ticks, std::uint64_t tick_hz) {
  return tick_hz != 0 ? ticks / static_cast<double>(tick_hz) * 1e9 : 0;
}

}  // namespace ringside::tool
