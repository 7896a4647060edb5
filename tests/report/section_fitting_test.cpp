// How sections are made smaller until they fit a page.

#include "tools/report/section_fitting.hpp"

#include <cstddef>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tools/report/halved.hpp"
#include "tools/report/row_detail.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {
namespace {

// Cannot be packed.
std::string random_text(std::size_t bytes) {
  static std::mt19937_64 dice(7);
  std::string text(bytes, '\0');
  for (char& each : text) each = static_cast<char>(dice());
  return text;
}

SectionFitting::Text halved_text(std::size_t bytes) {
  return [bytes](unsigned level) { return random_text(halved(bytes, level)); };
}

TEST(SectionFitting, LeavesAllAsTheyAreIfTheyFit) {
  SectionPacker packer;
  SectionFitting fitting(packer);
  fitting.add("large", 10, halved_text(100'000));
  fitting.add("small", 10, halved_text(1'000));
  fitting.fit(110'000);
  EXPECT_TRUE(fitting.reduced().empty());
  EXPECT_EQ(fitting.take()[0].json.size(), 100'000U);
}

TEST(SectionFitting, ReducesThoseThatExceedTheirShares) {
  SectionPacker packer;
  SectionFitting fitting(packer);
  fitting.add("within", 30'000, halved_text(29'000));
  fitting.add("much", 10'000, halved_text(200'000));
  fitting.add("more", 10'000, halved_text(400'000));
  fitting.fit(150'000);
  EXPECT_LE(fitting.packed_bytes(), 150'000U);
  EXPECT_GT(fitting.packed_bytes(), 75'000U);
  const auto reduced = fitting.reduced();
  ASSERT_EQ(reduced.size(), 2U);
  EXPECT_EQ(reduced[0].name, "much");
  EXPECT_EQ(reduced[1].name, "more");
  EXPECT_EQ(reduced[1].level, reduced[0].level + 1);
  EXPECT_EQ(fitting.take()[0].json.size(), 29'000U);
}

TEST(SectionFitting, NeverReducesBelowTheShares) {
  SectionPacker packer;
  SectionFitting fitting(packer);
  fitting.add("one", 50'000, halved_text(90'000));
  fitting.add("two", 50'000, halved_text(40'000));
  fitting.fit(100);
  EXPECT_EQ(fitting.take()[0].json.size(), 45'000U);
}

TEST(RowDetail, HalvesFullRowsAndThenShortOnes) {
  constexpr std::size_t kRows = 4'096;
  const auto count = [](RowDetail wanted, unsigned level) {
    std::size_t number = 0;
    for (std::size_t rank = 0; rank < kRows; ++rank)
      number += row_detail(rank, kRows, level) == wanted;
    return number;
  };
  EXPECT_EQ(count(RowDetail::kFull, 0), kRows);
  EXPECT_EQ(count(RowDetail::kFull, 1), kRows / 2);
  EXPECT_EQ(count(RowDetail::kShort, 1), kRows / 2);
  EXPECT_EQ(count(RowDetail::kNone, 10), 0U);
  EXPECT_EQ(count(RowDetail::kNone, 11), kRows / 2);
  EXPECT_EQ(count(RowDetail::kNone, SectionFitting::kMostLevel), kRows);
  EXPECT_EQ(row_detail(0, kRows, 2), RowDetail::kFull) << "the most important one";
}

TEST(ShortText, IsNotCutWithinACharacter) {
  EXPECT_EQ(first_bytes("a\u00e4b", 2), "a");
  EXPECT_EQ(first_bytes("a\u00e4b", 3), "a\u00e4");
  EXPECT_EQ(first_bytes("ab", 5), "ab");
}

}  // namespace
}  // namespace ringside::tool
