// Categories, keywords and RS_MIN_LEVEL, in every language.

#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/category_statements.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

const category_statements* const kLanguages[] = {&c11_categories, &cpp17_categories,
                                                 &cpp20_categories};

using Membership = std::pair<std::string, std::uint64_t>;

Membership membership(const std::string& format) {
  const Site& site = own_segment().site(format);
  return {site.category, site.keywords};
}

PROCESS_TEST(Category, IsThatOfTheStatementOrOfTheFile) {
  for (const category_statements* s : kLanguages) {
    SCOPED_TRACE(s->language);
    const auto of = [s](const char* rest) { return membership(s->language + std::string(rest)); };
    s->log_all(1);
    EXPECT_EQ(of(" of file %d"), Membership("file", 0));
    EXPECT_EQ(of(" of own %d"), Membership("own", 0));
    EXPECT_EQ(of(" with keywords %d"), Membership("file", 6));
    EXPECT_EQ(of(" of inner %d"), Membership("inner", std::uint64_t{1} << 63));
    EXPECT_EQ(of(" of none %d"), Membership("", 0));
    EXPECT_EQ(of(" of only own %d"), Membership("only own", 0));
    EXPECT_EQ(of(" of again %d"), Membership("again", 0x8000000000000001));
    EXPECT_EQ(of(" with own keywords %d"), Membership("again", 6));
  }
  EXPECT_EQ(own_segment().data(0).size(), 24U);
}

template <class T>
void log_template(T value) {
  const auto log = [](auto v) { RS_WITH_CATEGORY("template", RS_FMT(INFO, "template {}", v)); };
  log(value);
}

PROCESS_TEST(Category, TakesStatementsOfTemplatesAndLambdas) {
  log_template(1);
  EXPECT_EQ(membership("template {}"), Membership("template", 0));
}

PROCESS_TEST(MinLevel, RemovesStatementsBelowIt) {
  for (const category_statements* s : kLanguages) {
    SCOPED_TRACE(s->language);
    const auto sites = [s](const char* rest) {
      return own_segment().count_sites(s->language + std::string(rest));
    };
    EXPECT_EQ(s->log_removed(), 2) << "arguments of removed statements are not evaluated";
    EXPECT_EQ(sites(" removed %d"), 0U);
    EXPECT_EQ(sites(" removed from gate %d"), 0U);
    EXPECT_EQ(sites(" removed too %d"), 0U);
    EXPECT_EQ(sites(" kept %d"), 1U);
    EXPECT_EQ(sites(" kept later %d"), 1U);
  }
}

}  // namespace
}  // namespace ringside::test
