#include "tools/text/progress_bar.hpp"

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

using std::chrono::seconds;

TEST(ProgressText, ShowsPartSizeAndTimeLeft) {
  EXPECT_EQ(progress_text(0.5, 3'000'000'000, seconds(7)),
            "[###############---------------]  50 %, 1.5 of 3.0 GB, 7 s left");
  EXPECT_EQ(progress_text(0.25, 4'000, seconds(1)),
            "[########----------------------]  25 %, 1.0 of 4.0 kB, 3 s left");
}

TEST(ProgressText, ShowsNoTimeLeftBeforeTheFirstProgress) {
  EXPECT_EQ(progress_text(0, 900, seconds(5)),
            "[------------------------------]   0 %, 0.0 of 900.0 B");
}

// When a file grows, more can be read than was present at the start.
TEST(ProgressText, NeverExceedsTheTotal) {
  EXPECT_EQ(progress_text(1.7, 1'000'000, seconds(5)),
            "[##############################] 100 %, 1.0 of 1.0 MB, 0 s left");
}

}  // namespace
}  // namespace ringside::tool
