// Programs that answer, fail, do not end, or do not stop.
#include "tools/processes/bounded_command.hpp"

#include <cerrno>
#include <csignal>
#include <string>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

class BoundedCommandTest : public testing::Test {
 protected:
  // What `sh -c script` does.
  void run(const std::string& script, const CommandBounds& bounds = {}) {
    std::string why;
    const auto command = BoundedCommand::start("/bin/sh", {"-c", script}, bounds, &why);
    ASSERT_NE(command, nullptr) << why;
    while (!command->advance()) {
      auto streams = command->streams();
      ::poll(streams.data(), streams.size(), command->wait_ms());
    }
    result_ = command->result();
  }
  CommandResult result_;
};

TEST_F(BoundedCommandTest, HasOutputErrorsAndStatus) {
  run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result_.output, "out\n");
  EXPECT_EQ(result_.errors, "err\n");
  EXPECT_EQ(result_.status, 7);
  EXPECT_FALSE(result_.is_cut || result_.is_timed_out);
}

TEST_F(BoundedCommandTest, HasNoStandardInput) {
  run("cat; echo end");
  EXPECT_EQ(result_.output, "end\n");
}

TEST_F(BoundedCommandTest, IsEndedWhenItsOutputExceedsTheBound) {
  run("while :; do echo 0123456789; done", {.most_output_bytes = 100'000});
  EXPECT_TRUE(result_.is_cut);
  EXPECT_EQ(result_.output.size(), 100'000U);
  EXPECT_EQ(result_.status, -1);
}

TEST_F(BoundedCommandTest, IsEndedAfterItsTime) {
  run("echo begun; exec sleep 1000", {.timeout_ms = 100});
  EXPECT_TRUE(result_.is_timed_out);
  EXPECT_EQ(result_.output, "begun\n");
  EXPECT_EQ(result_.status, -1);
}

TEST_F(BoundedCommandTest, IsEndedAfterItsTimeIfItHasClosedItsStreams) {
  run("exec sleep 1000 >&- 2>&-", {.timeout_ms = 100});
  EXPECT_TRUE(result_.is_timed_out);
  EXPECT_EQ(result_.status, -1);
}

TEST_F(BoundedCommandTest, MayLiveOnForAWhileAfterItHasClosedItsStreams) {
  run("exec >&- 2>&-; sleep 0.2; exit 3");
  EXPECT_FALSE(result_.is_timed_out);
  EXPECT_EQ(result_.status, 3);
}

TEST_F(BoundedCommandTest, ThatDoesNotExistIsReported) {
  std::string why;
  EXPECT_EQ(BoundedCommand::start("/nonexistent/program", {}, {}, &why), nullptr);
  EXPECT_NE(why.find("/nonexistent/program"), std::string::npos) << why;
}

TEST_F(BoundedCommandTest, ThatIsToldTooMuchSaysSo) {
  std::string why;
  EXPECT_EQ(BoundedCommand::start("/bin/true", {std::string(200'000, 'x')}, {}, &why), nullptr);
  EXPECT_NE(why.find("use shorter arguments"), std::string::npos) << why;
}

TEST_F(BoundedCommandTest, WithManyErrorsHasTheFirstOnesAndItsOutput) {
  run("i=0; while [ $i -lt 20000 ]; do echo 0123456789 >&2 || exit 5; i=$((i+1)); done; echo out",
      {.most_error_bytes = 1000});
  EXPECT_EQ(result_.errors.size(), 1000U);
  EXPECT_EQ(result_.output, "out\n");
  EXPECT_EQ(result_.status, 0);
}

TEST_F(BoundedCommandTest, EndsWithItsObject) {
  std::string why;
  auto command = BoundedCommand::start("/bin/sh", {"-c", "echo $$; exec sleep 1000"}, {}, &why);
  ASSERT_NE(command, nullptr) << why;
  while (!command->result().output.ends_with('\n')) {
    auto streams = command->streams();
    ::poll(streams.data(), streams.size(), command->wait_ms());
    ASSERT_FALSE(command->advance());
  }
  const pid_t pid = std::stoi(command->result().output);
  ASSERT_EQ(::kill(pid, 0), 0);
  command.reset();
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace ringside::tool
