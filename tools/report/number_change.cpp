#include "tools/report/number_change.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

#include "tools/report/change_tests.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kBatches = 32;
constexpr double kLeastValues = 20;
constexpr double kLeastBeyond = 10;     // values in a tail
constexpr double kLeastDistance = 0.1;  // of distributions
constexpr double kDriftingLikeness = 0.5;
constexpr std::array<double, 3> kQuantiles{0.5, 0.9, 0.99};

// The values of a field below each class, by batch.
class Side {
 public:
  Side(HeatField& field, const TimeGrid& grid, unsigned shift) : field_(field) {
    std::size_t used = 1;
    for (const auto& row : field.map.sorted(grid)) {
      const auto& counts = row->counts.counts(grid);
      for (std::size_t i = used; i < counts.size(); ++i) {
        if (counts[i] != 0) used = i + 1;
      }
    }
    const std::size_t each = (used + kBatches - 1) / kBatches;
    for (const auto& row : field.map.sorted(grid)) {
      auto& batches = classes_[joined_class(row->number, shift - field.map.shift())];
      batches.resize(kBatches, 0);
      const auto& counts = row->counts.counts(grid);
      for (std::size_t i = 0; i < used; ++i) {
        batches[i / each] += counts[i];
        all_[i / each] += counts[i];
      }
    }
    shift_ = shift;
  }

  void add_classes(std::map<ValueClass, double>& shares) const {
    for (const auto& [number, batches] : classes_) shares[number] = 0;
  }

  double values() const { return static_cast<double>(field_.map.values()); }

  // The share of values in this class or below, and its variance.
  GroupedShare share_up_to(ValueClass number) const {
    std::vector<double> below(kBatches, 0);
    for (auto it = classes_.begin(); it != classes_.upper_bound(number); ++it) {
      for (std::size_t i = 0; i < kBatches; ++i) below[i] += it->second[i];
    }
    return grouped_share(below, all_);
  }

  // Of each of `shares`: a class and the share of values in it or below.
  void put_shares(std::map<ValueClass, double>& shares) const {
    double seen = 0;
    auto it = classes_.begin();
    for (auto& [number, share] : shares) {
      for (; it != classes_.end() && it->first <= number; ++it) {
        for (const double each : it->second) seen += each;
      }
      share = seen / values();
    }
  }

  ValueClass quantile_class(double share) const {
    double seen = 0;
    for (const auto& [number, batches] : classes_) {
      for (const double each : batches) seen += each;
      if (seen >= share * values()) return number;
    }
    return classes_.rbegin()->first;
  }

  double quantile(double share) const {
    const ValueClass number = quantile_class(share);
    const double near = class_lower(number, shift_);
    const double far = number == 0 ? 0 : class_lower(number > 0 ? number + 1 : number - 1, shift_);
    const double size = near + (far - near) / 2;
    return std::clamp(number < 0 ? -size : size, field_.map.least(), field_.map.most());
  }

 private:
  HeatField& field_;
  unsigned shift_ = 0;
  std::map<ValueClass, std::vector<double>> classes_;
  std::vector<double> all_ = std::vector<double>(kBatches, 0);
};

// log2 of the ratio; of numbers without one, so much that the distance decides.
double ratio_effect(double before, double after) {
  if (before == after) return 0;
  if (before > 0 && after > 0) return std::log2(after / before);
  if (before < 0 && after < 0) return std::log2(before / after);
  return after > before ? 1 : -1;
}

// The design effect at the boundary may be hidden if one side has no values beyond it: that at the
// median counts, too.
double effective_size(const Side& side, ValueClass at) {
  const GroupedShare there = side.share_up_to(at);
  const GroupedShare middle = side.share_up_to(side.quantile_class(0.5));
  return there.values / std::max(there.design_effect(), middle.design_effect());
}

NumberChange::Result distribution_change(const Side& before, const Side& after,
                                         const NumberChange& quantiles) {
  std::map<ValueClass, double> first;
  before.add_classes(first);
  after.add_classes(first);
  std::map<ValueClass, double> second = first;
  before.put_shares(first);
  after.put_shares(second);
  NumberChange::Result result;
  result.least_distance = kLeastDistance;
  ValueClass widest = 0;
  for (const auto& [number, share] : first) {
    const double distance = std::abs(share - second[number]);
    if (distance < result.distance) continue;
    result.distance = distance;
    widest = number;
  }
  result.probability = kolmogorov_smirnov(result.distance, effective_size(before, widest),
                                          effective_size(after, widest));
  for (std::size_t i = 0; i < 2; ++i) {
    const double effect = ratio_effect(quantiles.before[i], quantiles.after[i]);
    if (std::abs(effect) > std::abs(result.effect)) result.effect = effect;
  }
  return result;
}

std::optional<NumberChange::Result> tail_change(const Side& before, const Side& after,
                                                const NumberChange& quantiles) {
  // The class of the pooled p99: both sides weigh the same.
  std::map<ValueClass, double> first;
  before.add_classes(first);
  after.add_classes(first);
  std::map<ValueClass, double> second = first;
  before.put_shares(first);
  after.put_shares(second);
  ValueClass bound = first.rbegin()->first;
  for (const auto& [number, share] : first) {
    if ((share + second[number]) / 2 < kQuantiles[2]) continue;
    bound = number;
    break;
  }
  const GroupedShare a = before.share_up_to(bound);
  const GroupedShare b = after.share_up_to(bound);
  const double beyond = 1 - (a.share + b.share) / 2;
  if (beyond * std::min(a.values, b.values) < kLeastBeyond) return {};
  const double least = beyond * (1 - beyond);
  const double variance =
      std::max(a.variance, least / a.values) + std::max(b.variance, least / b.values);
  NumberChange::Result result;
  result.distance = std::abs(a.share - b.share);
  result.probability =
      student((a.share - b.share) / std::sqrt(variance), std::min(a.groups, b.groups) - 1);
  result.effect = ratio_effect(quantiles.before[2], quantiles.after[2]);
  return result;
}

}  // namespace

NumberChange number_change(HeatField& before, const TimeGrid& before_grid, HeatField& after,
                           const TimeGrid& after_grid) {
  NumberChange change;
  if (static_cast<double>(std::min(before.map.values(), after.map.values())) < kLeastValues)
    return change;
  const bool is_constant =
      before.map.least() == before.map.most() && after.map.least() == after.map.most();
  if (is_constant) {
    change.verdict = NumberChange::Verdict::kConstant;
    return change;
  }
  const unsigned shift = std::max(before.map.shift(), after.map.shift());
  const Side first(before, before_grid, shift);
  const Side second(after, after_grid, shift);
  const auto drifts = [](const Side& side) {
    return side.share_up_to(side.quantile_class(0.5)).likeness() > kDriftingLikeness;
  };
  if (drifts(first) && drifts(second)) {
    change.verdict = NumberChange::Verdict::kDrifting;
    return change;
  }
  change.verdict = NumberChange::Verdict::kCompared;
  for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
    change.before[i] = first.quantile(kQuantiles[i]);
    change.after[i] = second.quantile(kQuantiles[i]);
  }
  change.distribution = distribution_change(first, second, change);
  change.tail = tail_change(first, second, change);
  return change;
}

}  // namespace ringside::tool
