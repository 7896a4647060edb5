#pragma once
// Statistical tests: whether two samples can be of one population.

#include <cstddef>
#include <vector>

namespace ringside::tool {

// Mann and Whitney, two-sided, with the correction for ties: the probability that two samples of
// one population differ at least as much in their ranks. 1 if one of them is empty.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

// Kolmogorov and Smirnov: the probability that two samples of one population, of these sizes,
// differ by `distance` or more in their distribution.
double kolmogorov_smirnov(double distance, double size_a, double size_b);

// Two-sided, for a mean in units of its deviation, which was estimated with so many degrees of
// freedom: Student's distribution, approximated by the normal one.
double student(double deviations, double degrees_of_freedom);

// Holm's correction: which of these results hold, so that one of them is wrong with the probability
// `level` at most, whatever their number.
std::vector<bool> holm(const std::vector<double>& probabilities, double level);

// Values in groups (batches of time) of which those of one group are not independent.
struct GroupedShare {
  double share = 0;     // of all values below a bound
  double variance = 0;  // of the share, estimated between groups
  double values = 0;    // of all groups
  double groups = 0;    // that have values

  // By how much the variance is greater than that of independent values; 1 at least.
  double design_effect() const;
  // How many independent values have the same variance.
  double effective_size() const { return values / design_effect(); }
  // How alike the values of a group are: 0 not at all, 1 all are on one side.
  double likeness() const;
};

// `below` and `all`: values of each group.
GroupedShare grouped_share(const std::vector<double>& below, const std::vector<double>& all);

}  // namespace ringside::tool
