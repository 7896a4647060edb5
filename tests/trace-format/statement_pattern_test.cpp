// Which statements a pattern matches, and the errors for invalid patterns.
#include "trace-format/condition/statement_pattern.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::trace {
namespace {

constexpr StatementView kFilled = {.level = shm::Level::kInfo,
                                   .line = 17,
                                   .keywords = 0x30,
                                   .name = "filled",
                                   .category = "orders",
                                   .format = "order %d filled at %.2f",
                                   .file = "src/engine/orders.cpp",
                                   .function = "Engine::fill"};

bool fits(StatementPattern pattern) {
  std::string why;
  EXPECT_TRUE(pattern.prepare(&why)) << why;
  return pattern.fits(kFilled);
}

std::string refusal(StatementPattern pattern, const StatementPatternNames& names = {}) {
  std::string why;
  return pattern.prepare(&why, names) ? "" : why;
}

StatementPattern of_sites(std::vector<std::string> globs) {
  StatementPattern pattern;
  pattern.sites = std::move(globs);
  return pattern;
}

StatementPattern of_level(std::string level) {
  StatementPattern pattern;
  pattern.level = std::move(level);
  return pattern;
}

StatementPattern with_keywords(std::vector<std::string> masks) {
  StatementPattern pattern;
  pattern.keywords = std::move(masks);
  return pattern;
}

StatementPattern with_regex(std::string regex) {
  StatementPattern pattern;
  pattern.regex = std::move(regex);
  return pattern;
}

TEST(StatementPattern, MatchesAllStatementsIfEmpty) {
  EXPECT_TRUE(StatementPattern().empty());
  EXPECT_TRUE(fits({}));
  EXPECT_FALSE(of_level("info").empty());
}

TEST(StatementPattern, FindsSitesByNamePlaceAndText) {
  for (const char* glob : {"filled", "fill*", "order %d*", "filled at", "orders.cpp",
                           "orders.cpp:17", "src/engine/orders.cpp:1?", "*.cpp"}) {
    EXPECT_TRUE(fits(of_sites({glob}))) << glob;
  }
  for (const char* glob : {"", "fil?", "orders.cpp:1", "engine/orders.cpp", "x*"}) {
    EXPECT_FALSE(fits(of_sites({glob}))) << glob;
  }
  EXPECT_TRUE(fits(of_sites({"nothing", "filled"}))) << "one of several";
}

TEST(StatementPattern, AllPartsMustMatch) {
  StatementPattern pattern;
  pattern.files = {"orders.cpp"};
  pattern.functions = {"Engine::*"};
  pattern.categories = {"quotes", "ord*"};
  pattern.keywords = {"1", "0x10"};
  pattern.level = "debug+";
  pattern.regex = "^order.*filled";
  EXPECT_TRUE(fits(pattern));
  const auto without = [&](auto change) {
    StatementPattern other = pattern;
    change(other);
    return fits(other);
  };
  EXPECT_FALSE(without([](StatementPattern& other) { other.files = {"engine.cpp"}; }));
  EXPECT_FALSE(without([](StatementPattern& other) { other.functions = {"fill"}; }));
  EXPECT_FALSE(without([](StatementPattern& other) { other.categories = {"quotes"}; }));
  EXPECT_FALSE(without([](StatementPattern& other) { other.keywords = {"0xf"}; }));
  EXPECT_FALSE(without([](StatementPattern& other) { other.level = "warning+"; }));
  EXPECT_FALSE(without([](StatementPattern& other) { other.regex = "^filled at"; }));
}

TEST(StatementPattern, ALevelMatchesItselfOrWithPlusMoreSevereOnesToo) {
  EXPECT_TRUE(fits(of_level("INFO")));
  EXPECT_TRUE(fits(of_level("Debug+")));
  EXPECT_TRUE(fits(of_level("info+")));
  EXPECT_FALSE(fits(of_level("debug")));
  EXPECT_FALSE(fits(of_level("notice+")));
}

TEST(StatementPattern, KeywordsAreMasksOfWhichOneBitIsEnough) {
  EXPECT_TRUE(fits(with_keywords({"0x10"})));
  EXPECT_TRUE(fits(with_keywords({"0X21"})));
  EXPECT_TRUE(fits(with_keywords({"32"})));
  EXPECT_FALSE(fits(with_keywords({"0xf", "64"})));
}

TEST(StatementPattern, ExpressionsAreFoundInTextNamePlaceAndFunction) {
  for (const char* regex : {"at %", "^filled$", "^orders.cpp:17$", "::fill$"}) {
    EXPECT_TRUE(fits(with_regex(regex))) << regex;
  }
  EXPECT_FALSE(fits(with_regex("src/")));
}

TEST(StatementPattern, ReportsInvalidPartsByTheNamesOfItsUser) {
  EXPECT_EQ(refusal(with_keywords({"0"})),
            "keyword 0: invalid set of bits; use a number of at least 1, such as 0x10");
  EXPECT_EQ(refusal(with_keywords({"0x1g"}), {"--keyword", "--of-level", "--regex"}),
            "--keyword 0x1g: invalid set of bits; use a number of at least 1, such as 0x10");
  EXPECT_EQ(refusal(of_level("loud")),
            "level loud: invalid level; use one of TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR, "
            "CRITICAL, in "
            "upper or lower case, optionally followed by +");
  EXPECT_EQ(refusal(with_regex("(")).rfind("regex (: invalid regular expression '('", 0), 0U);
}

TEST(StatementPattern, MayBePreparedAgainAfterAChange) {
  StatementPattern pattern = with_keywords({"0xf"});
  pattern.level = "error+";
  std::string why;
  ASSERT_TRUE(pattern.prepare(&why));
  EXPECT_FALSE(pattern.fits(kFilled));
  pattern.keywords = {"0x10"};
  pattern.level.clear();
  ASSERT_TRUE(pattern.prepare(&why));
  EXPECT_TRUE(pattern.fits(kFilled));
}

}  // namespace
}  // namespace ringside::trace
