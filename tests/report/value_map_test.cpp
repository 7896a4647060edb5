#include "tools/report/value_map.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

std::uint64_t sum(ValueMap& map, const TimeGrid& grid) {
  std::uint64_t all = 0;
  for (const auto& row : map.sorted(grid)) {
    const auto& counts = row->counts.counts(grid);
    all += std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  return all;
}

void add(ValueMap& map, TimeGrid& grid, std::uint64_t unix_ns, double value) {
  map.add({grid, grid.interval(unix_ns), {&value, 1}, value, value, value});
}

TEST(ValueMap, AClassHasTheNumbersFromItsLowerBound) {
  for (const unsigned shift : {0U, 1U, 4U, kMostValueShift}) {
    for (const double value :
         {1.0, 3.7, 1e-300, 1e300, std::numeric_limits<double>::denorm_min()}) {
      const ValueClass number = value_class(value, shift);
      EXPECT_LE(class_lower(number, shift), value);
      EXPECT_GT(class_lower(number + 1, shift), value);
      EXPECT_EQ(value_class(-value, shift), -number);
      EXPECT_EQ(joined_class(value_class(value, 0), shift), number);
      EXPECT_EQ(joined_class(value_class(-value, 0), shift), -number);
    }
  }
  EXPECT_EQ(value_class(0.0, 0), 0);
  EXPECT_EQ(value_class(-0.0, 0), 0);
}

TEST(ValueMap, FewValuesTakeTheIntervalOfALaterGrid) {
  TimeGrid grid;
  ValueMap map;
  add(map, grid, 1'000, 5);
  EXPECT_EQ(map.rows(), 0U);
  grid.interval(1'000'000'000);
  add(map, grid, 1'000'000'000, 5);
  const auto& rows = map.sorted(grid);
  ASSERT_EQ(rows.size(), 1U);
  const auto& counts = rows[0]->counts.counts(grid);
  EXPECT_EQ(counts[0], 1U);
  EXPECT_EQ(counts[grid.known_interval(1'000'000'000)], 1U);
}

TEST(ValueMap, WideDistributionsKeepAllValuesInFewClasses) {
  TimeGrid grid;
  ValueMap map;
  std::mt19937_64 random(5);
  std::normal_distribution<double> exponent(0, 90);
  for (std::uint64_t i = 0; i < 20'000; ++i)
    add(map, grid, i * 1'000, std::exp(exponent(random)) * (i % 2 == 0 ? 1 : -1));
  EXPECT_EQ(sum(map, grid), 20'000U);
  EXPECT_LE(map.rows(), ValueMap::kMostClasses);
  EXPECT_GT(map.rows(), ValueMap::kMostClasses / 4);
  EXPECT_GT(map.shift(), 0U);
  ValueClass last = std::numeric_limits<ValueClass>::min();
  for (const auto& row : map.sorted(grid)) {
    EXPECT_GT(row->number, last);
    last = row->number;
  }
}

TEST(ValueMap, AValueAfterCoarseningFindsItsClass) {
  TimeGrid grid;
  ValueMap map;
  for (std::uint64_t i = 0; i < 100; ++i) add(map, grid, i, 1000 + static_cast<double>(i));
  map.coarsen(grid);
  map.coarsen(grid);
  const std::size_t rows = map.rows();
  add(map, grid, 100, 1000);
  EXPECT_EQ(map.rows(), rows);
  EXPECT_EQ(sum(map, grid), 101U);
}

// Of both signs, beside zero, and so far apart that they are counted in several ways.
TEST(ValueMap, EachValueIsCountedInItsClass) {
  TimeGrid grid;
  ValueMap map;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-20, 20);
  std::map<std::pair<std::size_t, ValueClass>, std::uint32_t> wanted;
  constexpr std::uint64_t kStepNs = 40;
  grid.expect(30'000 * kStepNs);
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const std::size_t interval = grid.interval(i * kStepNs);
    const double size = std::exp2(std::floor(exponent(random) / (i % 3 == 0 ? 1 : 4)));
    const double value = i % 7 == 0 ? 0 : i % 2 == 0 ? size : -size;
    map.add({grid, interval, {&value, 1}, value, value, value});
    ++wanted[{interval, value_class(value, 0)}];
  }
  ASSERT_EQ(map.shift(), 0U);
  std::map<std::pair<std::size_t, ValueClass>, std::uint32_t> counted;
  for (const auto& row : map.sorted(grid)) {
    const auto& counts = row->counts.counts(grid);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) counted[{i, row->number}] = counts[i];
    }
  }
  EXPECT_EQ(counted, wanted);
}

}  // namespace
}  // namespace ringside::tool
