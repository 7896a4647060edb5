// Programs that answer, fail, do not end, or do not stop.
#include "tools/report/bounded_command.hpp"

#include <string>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

class BoundedCommand : public testing::Test {
 protected:
  // What `sh -c script` does.
  void run(const std::string& script, const CommandBounds& bounds = {}) {
    std::string why;
    ASSERT_TRUE(run_bounded("/bin/sh", {"-c", script}, bounds, result_, &why)) << why;
  }
  CommandResult result_;
};

TEST_F(BoundedCommand, HasOutputErrorsAndStatus) {
  run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result_.output, "out\n");
  EXPECT_EQ(result_.errors, "err\n");
  EXPECT_EQ(result_.status, 7);
  EXPECT_FALSE(result_.is_cut || result_.is_timed_out);
}

TEST_F(BoundedCommand, HasNoStandardInput) {
  run("cat; echo end");
  EXPECT_EQ(result_.output, "end\n");
}

TEST_F(BoundedCommand, IsEndedWhenItsOutputExceedsTheBound) {
  run("while :; do echo 0123456789; done", {.most_output_bytes = 100'000});
  EXPECT_TRUE(result_.is_cut);
  EXPECT_EQ(result_.output.size(), 100'000U);
  EXPECT_EQ(result_.status, -1);
}

TEST_F(BoundedCommand, IsEndedAfterItsTime) {
  run("echo begun; exec sleep 1000", {.timeout_ms = 100});
  EXPECT_TRUE(result_.is_timed_out);
  EXPECT_EQ(result_.output, "begun\n");
  EXPECT_EQ(result_.status, -1);
}

TEST_F(BoundedCommand, IsEndedAfterItsTimeIfItHasClosedItsStreams) {
  run("exec sleep 1000 >&- 2>&-", {.timeout_ms = 100});
  EXPECT_TRUE(result_.is_timed_out);
  EXPECT_EQ(result_.status, -1);
}

TEST_F(BoundedCommand, MayLiveOnForAWhileAfterItHasClosedItsStreams) {
  run("exec >&- 2>&-; sleep 0.2; exit 3");
  EXPECT_FALSE(result_.is_timed_out);
  EXPECT_EQ(result_.status, 3);
}

TEST_F(BoundedCommand, ThatDoesNotExistIsReported) {
  std::string why;
  EXPECT_FALSE(run_bounded("/nonexistent/program", {}, {}, result_, &why));
  EXPECT_NE(why.find("/nonexistent/program"), std::string::npos) << why;
}

}  // namespace
}  // namespace ringside::tool
