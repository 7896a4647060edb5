// Hooks: their input, how their end is reported, and that no other programs can be run.
#include "consumerd/triggers/hook_runner.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "consumerd/triggers/hook_message.hpp"
#include "consumerd_process.hpp"
#include "standard_error_in_file.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::HookRunner;
using consumer::TriggerRule;
using std::chrono::milliseconds;

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each process writes its output to its own file.
class Hooks : public testing::Test {
 protected:
  TriggerRule rule(const std::string& name, const std::string& script) {
    TriggerRule rule;
    rule.name = name;
    rule.hook = {"sh", "-c", script, "hook", directory_.path()};
    return rule;
  }
  std::string file(const std::string& name) const { return directory_.file(name); }

  void start(std::vector<TriggerRule> rules, milliseconds longest_run = consumer::kLongestHookRun) {
    std::string why;
    rules_ = std::make_shared<const std::vector<TriggerRule>>(std::move(rules));
    runner_ = HookRunner::start(*rules_, true, &why, longest_run);
    ASSERT_NE(runner_, nullptr) << why;
  }

  bool run(std::size_t number, const std::string& message = "message") {
    return runner_->run(
        {rules_, &(*rules_)[number], {"segment", "shop", 17}, "orders.cpp:5", message}, log_);
  }

  // Waits until the runner has reported `count` ends; returns the log's messages.
  std::string said_of_ends(std::size_t count) {
    testing::internal::CaptureStderr();
    comes_true([&] {
      for (const std::string& name : runner_->take_ends(verbose_)) failed_.push_back(name);
      std::fflush(stderr);
      said_ += testing::internal::GetCapturedStderr();
      testing::internal::CaptureStderr();
      return occurrences(said_, "hook of trigger") >= count;
    });
    said_ += testing::internal::GetCapturedStderr();
    return std::exchange(said_, {});
  }

  void TearDown() override {
    if (runner_ == nullptr) return;
    const pid_t process = runner_->pid();
    runner_.reset();
    int status = -1;
    EXPECT_EQ(waitpid(process, &status, 0), process);
  }

  const TemporaryDirectory directory_;
  const StandardErrorInFile plain_;  // before the logs are created
  consumer::Log log_;
  consumer::Log verbose_{true};
  consumer::TriggerRules rules_;
  std::unique_ptr<HookRunner> runner_;
  std::vector<std::string> failed_;
  std::string said_;
};

TEST_F(Hooks, GetTheirTriggersRecordInABoundedEnvironment) {
  setenv("RINGSIDE_TEST_SECRET", "secret", 1);
  start({rule("late", "env > $1/env; cat > $1/input; exit 0")});
  unsetenv("RINGSIDE_TEST_SECRET");
  ASSERT_TRUE(run(0, "price\n\"12\" \x1b[1m $(touch x)"));
  EXPECT_NE(said_of_ends(1).find("hook of trigger late: sh ended with status 0"),
            std::string::npos);
  std::vector<std::string> lines;
  std::ifstream env(file("env"));
  for (std::string line; std::getline(env, line);) {
    // Set by the shell itself.
    if (line.rfind("PWD=", 0) != 0 && line.rfind("OLDPWD=", 0) != 0 && line.rfind("_=", 0) != 0 &&
        line.rfind("SHLVL=", 0) != 0) {
      lines.push_back(line);
    }
  }
  std::sort(lines.begin(), lines.end());
  const std::vector<std::string> expected = {
      std::string("PATH=") + std::getenv("PATH"),
      "RINGSIDE_MESSAGE=price\\x0a\"12\" \\x1b[1m $(touch x)",
      "RINGSIDE_PID=17",
      "RINGSIDE_SERVICE=shop",
      "RINGSIDE_STATEMENT=orders.cpp:5",
      "RINGSIDE_TRIGGER=late"};
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(content(file("input")), "") << "of /dev/null";
  EXPECT_TRUE(failed_.empty());
}

TEST_F(Hooks, InheritNeitherFilesNorPrivileges) {
  const int open_file = dup(0);
  start({rule("look", "ls /proc/self/fd > $1/files; grep NoNewPrivs /proc/self/status > $1/priv")});
  close(open_file);
  ASSERT_TRUE(run(0));
  said_of_ends(1);
  // ls itself opens the directory.
  EXPECT_EQ(content(file("files")), "0\n1\n2\n3\n");
  EXPECT_EQ(content(file("priv")), "NoNewPrivs:\t1\n");
}

TEST_F(Hooks, ReportTheirFailureWithTheRemedy) {
  TriggerRule missing;
  missing.name = "missing";
  missing.hook = {"/nonexistent/program", "x"};
  start({missing, rule("sad", "exit 3"), rule("killed", "kill -9 $$")});
  ASSERT_TRUE(run(0));
  ASSERT_TRUE(run(1));
  ASSERT_TRUE(run(2));
  const std::string said = said_of_ends(3);
  EXPECT_NE(said.find("hook of trigger missing: cannot start /nonexistent/program: No such file or "
                      "directory; use the absolute path of a file"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hook of trigger sad: sh ended with status 3"), std::string::npos) << said;
  EXPECT_NE(said.find("hook of trigger killed: sh was killed by signal 9"), std::string::npos)
      << said;
  std::sort(failed_.begin(), failed_.end());
  EXPECT_EQ(failed_, (std::vector<std::string>{"killed", "missing", "sad"}));
}

TEST_F(Hooks, ThatHangAreKilledWithTheirChildren) {
  start({rule("slow", "sleep 1000 & echo $! > $1/child; wait")}, milliseconds(300));
  // Repeats the run if the machine was too busy for the script's first lines.
  while (content(file("child")).find('\n') == std::string::npos) {
    ASSERT_TRUE(run(0));
    const std::string said = said_of_ends(1);
    ASSERT_NE(said.find("hook of trigger slow: sh took longer than 300 ms and was killed"),
              std::string::npos)
        << said;
  }
  const pid_t child = std::stoi(content(file("child")));
  // Dead, but possibly not yet reaped by the process that inherited it.
  EXPECT_TRUE(comes_true([child] {
    const std::string stat = content("/proc/" + std::to_string(child) + "/stat");
    return stat.empty() || stat.find(") Z") != std::string::npos;
  }));
}

TEST_F(Hooks, RunOnceAtATimeEach) {
  start({rule("one", "until test -e $1/go; do sleep 0.01; done"), rule("two", "exit 0")});
  ASSERT_TRUE(run(0));
  ASSERT_TRUE(run(0));
  ASSERT_TRUE(run(1));
  const std::string said = said_of_ends(2);
  EXPECT_NE(said.find("hook of trigger one: sh is still running from the previous firing"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hook of trigger two: sh ended with status 0"), std::string::npos) << said;
  std::ofstream(file("go")) << "go";
  EXPECT_NE(said_of_ends(1).find("hook of trigger one: sh ended with status 0"), std::string::npos);
  ASSERT_TRUE(run(0));
  EXPECT_NE(said_of_ends(1).find("hook of trigger one: sh ended with status 0"), std::string::npos);
}

TEST_F(Hooks, AreThoseOfTheStartAndNoOthers) {
  start({rule("known", "exit 0"), rule("other", "exit 1")});
  EXPECT_TRUE(runner_->knows(rule("known", "exit 0")));
  EXPECT_FALSE(runner_->knows(rule("known", "exit 1")));
  EXPECT_FALSE(runner_->knows(rule("new", "exit 0")));
}

TEST_F(Hooks, AreRequestedWithoutWaiting) {
  start({rule("one", "exit 0")});
  ASSERT_EQ(kill(runner_->pid(), SIGSTOP), 0);
  int status = -1;
  ASSERT_EQ(waitpid(runner_->pid(), &status, WUNTRACED), runner_->pid());
  testing::internal::CaptureStderr();
  std::size_t taken = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!run(0)) break;
    ++taken;
  }
  EXPECT_FALSE(run(0));
  const std::string said = testing::internal::GetCapturedStderr();
  kill(runner_->pid(), SIGCONT);
  EXPECT_LT(taken, 100'000U);
  EXPECT_EQ(occurrences(said, "faster than hooks can be started"), 1U) << said;
}

// What an attacker who controls consumerd could write into the socket.
TEST(HookProcess, RunsNothingButItsHooksWhateverTheRequest) {
  const TemporaryDirectory directory;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    consumer::run_hooks(
        ends[1],
        {{"only", {"sh", "-c", "echo \"$RINGSIDE_MESSAGE\" >> $1", "hook", directory.file("ran")}}},
        std::chrono::seconds(30));
  }
  close(ends[1]);
  const auto send = [&](const void* bytes, std::size_t size) {
    ASSERT_EQ(write(ends[0], bytes, size), static_cast<ssize_t>(size));
  };
  consumer::HookRequest request;
  std::memset(&request, 'A', sizeof request);  // no text in it is terminated
  for (const std::uint32_t command : {1U, 2U, 0x41414141U, ~0U}) {
    request.command = command;
    send(&request, sizeof request);
  }
  request.command = 0;
  send(&request, sizeof request - 1);
  send(&request, 4);
  send("/bin/sh", 8);
  std::memset(request.message, 0, sizeof request.message);
  std::strcpy(request.message, "the\nonly `one`");
  send(&request, sizeof request);
  shutdown(ends[0], SHUT_WR);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  close(ends[0]);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(content(directory.file("ran")), "the\\x0aonly `one`\n");
}

TEST(HookProcess, EndsWithConsumerdWhenItsHooksHave) {
  const TemporaryDirectory directory;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    consumer::run_hooks(
        ends[1],
        {{"last",
          {"sh", "-c", "until test -e $1/go; do sleep 0.01; done; echo done > $1/done", "hook",
           directory.path()}}},
        std::chrono::seconds(30));
  }
  close(ends[1]);
  const consumer::HookRequest request{};
  ASSERT_EQ(write(ends[0], &request, sizeof request), static_cast<ssize_t>(sizeof request));
  close(ends[0]);
  std::ofstream(directory.file("go")) << "go";
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(content(directory.file("done")), "done\n") << "what was asked for before the end";
}

}  // namespace
}  // namespace ringside::consumer_test
