// Globs as shells have them.
#include "trace-format/condition/glob.hpp"

#include <gtest/gtest.h>

namespace ringside::trace {
namespace {

TEST(Glob, FitsWholeTexts) {
  EXPECT_TRUE(glob_fits("kv*", "kvd"));
  EXPECT_TRUE(glob_fits("k[a-w]?", "kvd"));
  EXPECT_TRUE(glob_fits("*", "")) << "as what a statement lacks";
  EXPECT_FALSE(glob_fits("kv", "kvd"));
  EXPECT_FALSE(glob_fits("vd", "kvd"));
  EXPECT_FALSE(glob_fits("", "kvd"));
}

TEST(Glob, OneOfManyThatFitsOneOfManyTextsIsEnough) {
  EXPECT_TRUE(any_glob_fits({"a", "k*"}, {"x", "kvd"}));
  EXPECT_FALSE(any_glob_fits({"a", "k*"}, {"x", "vd"}));
  EXPECT_FALSE(any_glob_fits({}, {"x"}));
  EXPECT_FALSE(any_glob_fits({"*"}, {}));
}

}  // namespace
}  // namespace ringside::trace
