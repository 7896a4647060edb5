#include "tools/interop/sorted_lines.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

std::vector<std::string> given(SortedLines& lines) {
  std::vector<std::string> all;
  std::string error;
  EXPECT_TRUE(lines.give([&](std::string_view line) { all.emplace_back(line); }, &error)) << error;
  return all;
}

TEST(SortedLines, GivesLinesInTheOrderOfTheirKeysAndEqualKeysAsTheyCame) {
  SortedLines lines;
  lines.add(3, "c");
  lines.add(1, "a");
  lines.add(3, "d");
  lines.add(1, "b");
  lines.add(0, "");
  EXPECT_EQ(given(lines), (std::vector<std::string>{"", "a", "b", "c", "d"}));
}

TEST(SortedLines, GivesTheSameForMoreThanItKeepsInMemory) {
  constexpr std::size_t kLineBytes = 4000;
  constexpr std::size_t kLines = 5 * SortedLines::kMostBytes / 2 / kLineBytes;
  std::mt19937 random(7);
  std::vector<std::pair<std::uint64_t, std::string>> expected;
  SortedLines lines;
  for (std::size_t i = 0; i < kLines; ++i) {
    const std::uint64_t key = random() % 1000;
    std::string line = std::to_string(i);
    lines.add(key, line + std::string(kLineBytes - line.size(), ' '));
    expected.emplace_back(key, std::move(line));
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t at = 0;
  std::size_t wrong = 0;
  std::string error;
  ASSERT_TRUE(lines.give(
      [&](std::string_view line) {
        const bool right = at < expected.size() && line.size() == kLineBytes &&
                           line.substr(0, line.find(' ')) == expected[at].second;
        wrong += right ? 0U : 1U;
        ++at;
      },
      &error))
      << error;
  EXPECT_EQ(at, kLines);
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace ringside::tool
