// The launcher of the measuring programs: streams, environment, ends and limits.

#include "perf/harness/child_process.hpp"

#include <chrono>
#include <csignal>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "perf/harness/program_run.hpp"

namespace ringside::perf {
namespace {

using std::chrono::seconds;
constexpr auto kGenerous = seconds(120);  // only a hang reaches it

Launch shell(const std::string& script) {
  return {.command = {"sh", "-c", script}};
}

TEST(ChildProcess, ReportsStatusSignalAndFailedStart) {
  EXPECT_EQ(ChildProcess(shell("exit 7")).wait(), 7);
  EXPECT_EQ(ChildProcess(shell("kill -KILL $$")).wait(), 128 + SIGKILL);
  EXPECT_EQ(ChildProcess({.command = {"/nonexistent/program"}}).wait(), 127);
}

TEST(ChildProcess, EndsWithItsObject) {
  pid_t pid = -1;
  {
    ChildProcess child({.command = {"sleep", "600"}});
    pid = child.pid();
    EXPECT_TRUE(child.runs());
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(ChildProcess, SendsTheSignalOfItsLaunch) {
  ChildProcess child({.command = {"sleep", "600"}, .end_signal = SIGINT});
  EXPECT_EQ(child.terminate(), 128 + SIGINT);
  EXPECT_EQ(child.terminate(), 128 + SIGINT);
  EXPECT_FALSE(child.runs());
}

TEST(ChildProcess, HasTheStreamsAndTheEnvironmentOfItsLaunch) {
  Launch launch = shell("read -r line; echo \"$line $NAME\"; echo wrong >&2; exit 3");
  Pipe input;
  ASSERT_EQ(write(input.write.get(), "hello\n", 6), 6);
  launch.input = input.read.get();
  launch.environment = {"NAME=value"};
  const ProgramRun run = run_program(launch, kGenerous, ErrorOutput::kKeep);
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run.output, "hello value\n");
  EXPECT_EQ(run.errors, "wrong\n");
  EXPECT_FALSE(run.timed_out);
}

TEST(ProgramRun, EndsTheProgramAndWhatItStartedAtTheLimit) {
  // The grandchild keeps the output open: the run returns only if it ends, too.
  const ProgramRun run =
      run_program(shell("sleep 600 & sleep 600"), seconds(0), ErrorOutput::kKeep);
  EXPECT_TRUE(run.timed_out);
  EXPECT_EQ(run.status, 128 + SIGTERM);
}

}  // namespace
}  // namespace ringside::perf
