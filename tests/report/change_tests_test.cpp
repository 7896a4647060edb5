#include "tools/report/change_tests.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

TEST(ChangeTests, MannWhitneyKnowsPublishedValues) {
  // R: wilcox.test(c(1,2,3,4,5,6,7,8), c(9,10,11,12,13,14,15,16), exact = FALSE)
  EXPECT_NEAR(mann_whitney({1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}), 0.0009391,
              1e-6);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 1, 1}, {1, 1}), 1);
  EXPECT_DOUBLE_EQ(mann_whitney({}, {1}), 1);
}

TEST(ChangeTests, MannWhitneyTakesABurstForOneObservation) {
  std::vector<double> quiet(32, 0);
  std::vector<double> burst(32, 0);
  burst[7] = 1e6;
  EXPECT_GT(mann_whitney(quiet, burst), 0.1);
}

TEST(ChangeTests, KolmogorovSmirnovKnowsPublishedValues) {
  // The distribution of Kolmogorov has 5 % beyond 1.358, and 1 % beyond 1.628.
  const double size = 2e8;
  const double root = std::sqrt(size / 2);
  EXPECT_NEAR(kolmogorov_smirnov(1.358 / root, size, size), 0.05, 1e-4);
  EXPECT_NEAR(kolmogorov_smirnov(1.628 / root, size, size), 0.01, 1e-4);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov(0, 100, 100), 1);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov(1, 0, 100), 1);
}

TEST(ChangeTests, StudentHasHeavierTailsThanTheNormalDistribution) {
  // The quantiles of the distribution for 31 degrees of freedom.
  EXPECT_NEAR(student(2.0395, 31), 0.05, 5e-4);
  EXPECT_NEAR(student(2.7440, 31), 0.01, 5e-4);
  EXPECT_DOUBLE_EQ(student(100, 0), 1);
}

TEST(ChangeTests, HolmStopsAtTheFirstThatDoesNotHold) {
  EXPECT_EQ(holm({0.004, 0.5, 0.001}, 0.01), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(holm({0.006, 0.006}, 0.01), (std::vector<bool>{false, false}));
  EXPECT_TRUE(holm({}, 0.01).empty());
}

TEST(ChangeTests, ValuesThatAreAlikeInAGroupAreFewerObservations) {
  const std::vector<double> all(32, 100);
  std::vector<double> alike(32, 0);
  std::vector<double> independent(32, 0);
  std::mt19937 random(1);
  std::binomial_distribution<int> half(100, 0.5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    alike[i] = i % 2 == 0 ? 100 : 0;
    independent[i] = half(random);
  }
  EXPECT_NEAR(grouped_share(alike, all).effective_size(), 31, 1);
  EXPECT_NEAR(grouped_share(alike, all).likeness(), 1, 0.05);
  EXPECT_GT(grouped_share(independent, all).effective_size(), 1500);
  EXPECT_LT(grouped_share(independent, all).likeness(), 0.02);
}

}  // namespace
}  // namespace ringside::tool
