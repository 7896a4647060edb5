#include "tools/report/change_tests.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ringside::tool {
namespace {

double two_sided(double deviations) {
  return std::erfc(std::abs(deviations) / std::sqrt(2.0));
}

}  // namespace

double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<std::pair<double, bool>> all;
  all.reserve(a.size() + b.size());
  for (const double each : a) all.emplace_back(each, true);
  for (const double each : b) all.emplace_back(each, false);
  std::sort(all.begin(), all.end());
  double ranks = 0;  // of `a`
  double ties = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].first == all[i].first) ++end;
    const double rank = static_cast<double>(i + end + 1) / 2;
    for (std::size_t k = i; k < end; ++k) ranks += all[k].second ? rank : 0;
    const auto tied = static_cast<double>(end - i);
    ties += tied * tied * tied - tied;
    i = end;
  }
  const auto size_a = static_cast<double>(a.size());
  const auto size_b = static_cast<double>(b.size());
  const double size = size_a + size_b;
  const double off = std::abs(ranks - size_a * (size + 1) / 2);
  const double variance = size_a * size_b / 12 * (size + 1 - ties / (size * (size - 1)));
  if (variance <= 0) return 1;
  return two_sided(std::max(0.0, off - 0.5) / std::sqrt(variance));
}

double kolmogorov_smirnov(double distance, double size_a, double size_b) {
  if (size_a <= 0 || size_b <= 0) return 1;
  const double root = std::sqrt(size_a * size_b / (size_a + size_b));
  const double at = (root + 0.12 + 0.11 / root) * distance;
  // The series converges slowly where the probability is 1 anyway.
  if (at < 0.3) return 1;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * at * at);
    sum += k % 2 == 1 ? term : -term;
    if (term < 1e-18) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

double student(double deviations, double degrees_of_freedom) {
  if (degrees_of_freedom < 1) return 1;
  const double n = degrees_of_freedom;
  // Abramowitz and Stegun, 26.7.8.
  return two_sided(deviations * (1 - 1 / (4 * n)) /
                   std::sqrt(1 + deviations * deviations / (2 * n)));
}

std::vector<bool> holm(const std::vector<double>& probabilities, double level) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
  std::vector<bool> holds(probabilities.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (probabilities[order[i]] > level / static_cast<double>(order.size() - i)) break;
    holds[order[i]] = true;
  }
  return holds;
}

double GroupedShare::design_effect() const {
  const double independent = share * (1 - share) / values;
  return independent <= 0 ? 1 : std::max(1.0, variance / independent);
}

double GroupedShare::likeness() const {
  const double in_group = groups > 0 ? values / groups : 0;
  return in_group <= 1 ? 0 : std::min(1.0, (design_effect() - 1) / (in_group - 1));
}

GroupedShare grouped_share(const std::vector<double>& below, const std::vector<double>& all) {
  GroupedShare result;
  double below_all = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.values += all[i];
    below_all += below[i];
    result.groups += all[i] > 0 ? 1 : 0;
  }
  if (result.values == 0) return result;
  result.share = below_all / result.values;
  if (result.groups < 2) return result;
  double squares = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double off = below[i] - all[i] * result.share;
    squares += off * off;
  }
  result.variance = squares / (result.values * result.values) * result.groups / (result.groups - 1);
  return result;
}

}  // namespace ringside::tool
