// Globs as in shells.
#include "trace-format/condition/glob.hpp"

#include <gtest/gtest.h>

namespace ringside::trace {
namespace {

TEST(Glob, MatchesWholeTexts) {
  EXPECT_TRUE(glob_fits("kv*", "kvd"));
  EXPECT_TRUE(glob_fits("k[a-w]?", "kvd"));
  EXPECT_TRUE(glob_fits("*", "")) << "for a statement without a name";
  EXPECT_FALSE(glob_fits("kv", "kvd"));
  EXPECT_FALSE(glob_fits("vd", "kvd"));
  EXPECT_FALSE(glob_fits("", "kvd"));
}

TEST(Glob, OneOfManyThatMatchesOneOfManyTextsIsEnough) {
  EXPECT_TRUE(any_glob_fits({"a", "k*"}, {"x", "kvd"}));
  EXPECT_FALSE(any_glob_fits({"a", "k*"}, {"x", "vd"}));
  EXPECT_FALSE(any_glob_fits({}, {"x"}));
  EXPECT_FALSE(any_glob_fits({"*"}, {}));
}

TEST(Glob, ServicesAreKnownByTheirOwnNameAndByThatOfTheirFile) {
  for (const char* const service : {"pay.gateway 7", "pay_gateway_7"}) {
    for (const char* const glob :
         {"pay.gateway 7", "pay_gateway_7", "pay.g*", "pay_g*", "*.gateway?7", "pay[._]gateway*",
          "pay\\.gateway*", "[!x]ay.g*"}) {
      EXPECT_TRUE(any_service_glob_fits({"x", glob}, service)) << glob << " " << service;
    }
    for (const char* const glob : {"pay", "pay.gatewa", "pay-gateway*", "[!p]ay.g*", "pay\\*"}) {
      EXPECT_FALSE(any_service_glob_fits({glob}, service)) << glob << " " << service;
    }
  }
  EXPECT_TRUE(any_service_glob_fits({"caf\u00e9*"}, "caf__-1")) << "byte by byte";
  EXPECT_TRUE(any_service_glob_fits({"x", "[a"}, "_a")) << "an unterminated bracket";
  EXPECT_FALSE(any_service_glob_fits({}, "x"));
}

}  // namespace
}  // namespace ringside::trace
