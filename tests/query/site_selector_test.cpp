// The sites that a selector's text chooses.
#include "trace-format/query/site_selector.hpp"

#include <gtest/gtest.h>

namespace ringside::trace::query {
namespace {

Site order_site() {
  Site site;
  site.name = "order_filled";
  site.category = "trading.orders";
  site.format = "filled *%u* of %s && more: 100% done";
  site.file = "src/engine/book.cpp";
  site.line = 31;
  site.level = shm::Level::kNotice;
  return site;
}

bool chosen(std::string_view words) {
  std::string why;
  const auto selector = SiteSelector::parse(words, &why);
  EXPECT_TRUE(selector) << why;
  return selector && selector->matches(order_site());
}

TEST(Glob, StandsForAnyTextAndOneCharacter) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("a*c", "abbbc"));
  EXPECT_TRUE(glob_matches("a*b*c", "a1b2b3c"));
  EXPECT_TRUE(glob_matches("?b?", "abc"));
  EXPECT_FALSE(glob_matches("?b?", "ab"));
  EXPECT_FALSE(glob_matches("a*c", "abcd"));
  EXPECT_FALSE(glob_matches("abc", "ab"));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_TRUE(glob_matches("100\\*", "100*"));
  EXPECT_FALSE(glob_matches("100\\*", "1000"));
  EXPECT_TRUE(glob_matches("\\", "\\"));
}

TEST(SiteSelector, TakesPlainWordsForPartOfTheText) {
  EXPECT_TRUE(chosen("filled *%u*"));
  EXPECT_TRUE(chosen("of %s && more: 100%"));
  EXPECT_FALSE(chosen("filled*of"));
  EXPECT_FALSE(chosen("rejected"));
}

TEST(SiteSelector, TakesPlainWordsForANameOrAPlace) {
  EXPECT_TRUE(chosen("order_filled"));
  EXPECT_FALSE(chosen("order_fill"));
  EXPECT_TRUE(chosen("book.cpp:31"));
  EXPECT_TRUE(chosen("src/engine/book.cpp:31"));
  EXPECT_FALSE(chosen("book.cpp:32"));
  EXPECT_FALSE(chosen("ook.cpp:31"));
}

TEST(SiteSelector, TakesTermsAndJoinsThem) {
  EXPECT_TRUE(chosen("name:order_*"));
  EXPECT_TRUE(chosen("category:trading.*"));
  EXPECT_TRUE(chosen("file:book.cpp"));
  EXPECT_TRUE(chosen("file:engine/*.cpp:31"));
  EXPECT_FALSE(chosen("file:engine/*.cpp:30"));
  EXPECT_TRUE(chosen("text:filled *"));
  EXPECT_FALSE(chosen("text:filled"));
  EXPECT_TRUE(chosen("name:order_* && file:book.cpp"));
  EXPECT_FALSE(chosen("name:order_* && file:store.cpp"));
}

TEST(SiteSelector, RefusesAnEmptyText) {
  std::string why;
  EXPECT_FALSE(SiteSelector::parse("  ", &why));
  EXPECT_NE(why.find("text:*"), std::string::npos) << why;
}

TEST(SiteSelector, CombinesAndDescribesItsChoice) {
  const Site site = order_site();
  const SiteSelector both = SiteSelector::name("order_*") && SiteSelector::text("filled");
  EXPECT_TRUE(both.matches(site));
  EXPECT_FALSE((both && !SiteSelector::file("book.cpp", 31)).matches(site));
  EXPECT_TRUE((SiteSelector::name("x") || SiteSelector::at_least(shm::Level::kInfo)).matches(site));
  EXPECT_TRUE(SiteSelector::at_least(shm::Level::kNotice).matches(site));
  EXPECT_FALSE(SiteSelector::at_least(shm::Level::kWarning).matches(site));
  EXPECT_FALSE(SiteSelector::at_least(shm::Level::kError).matches(site));
  EXPECT_EQ(both.description(), "name:order_* && text with \"filled\"");
}

}  // namespace
}  // namespace ringside::trace::query
