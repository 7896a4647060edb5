// Runs of threads from their switches.
#include "tools/scheduling/thread_runs.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ringside::tool {
namespace {

class ThreadRunsTest : public testing::Test {
 protected:
  void add(SwitchKind kind, std::uint64_t unix_ns, std::uint32_t thread_id = 7,
           std::uint32_t processor = 1) {
    runs_.add({.kind = kind,
               .thread_id = thread_id,
               .processor = processor,
               .unix_ns = unix_ns,
               .lost = 1,
               .name = {}});
  }

  // "thread@processor begin-end how".
  std::vector<std::string> found_;
  ThreadRuns runs_{[this](const ThreadRun& run) {
    constexpr const char* kEnds[] = {"?", "waited", "preempted", "ended"};
    found_.push_back(std::to_string(run.thread_id) + "@" + std::to_string(run.processor) + " " +
                     std::to_string(run.begin_unix_ns) + "-" + std::to_string(run.end_unix_ns) +
                     " " + kEnds[static_cast<int>(run.end)]);
  }};
  using Texts = std::vector<std::string>;
};

TEST_F(ThreadRunsTest, LastFromOneSwitchToTheNext) {
  runs_.add_thread(7, 10);
  add(SwitchKind::kIn, 20);
  add(SwitchKind::kWaited, 30);
  add(SwitchKind::kIn, 40, 7, 2);
  add(SwitchKind::kPreempted, 50, 7, 2);
  EXPECT_EQ(found_, (Texts{"7@1 20-30 waited", "7@2 40-50 preempted"}));
}

TEST_F(ThreadRunsTest, BeginWithTheRecordingIfTheFirstSwitchEndsThem) {
  runs_.add_thread(7, 10);
  EXPECT_TRUE(runs_.is_unknown(7));
  add(SwitchKind::kWaited, 30);
  EXPECT_FALSE(runs_.is_unknown(7));
  EXPECT_EQ(found_, (Texts{"7@1 10-30 waited"}));
}

TEST_F(ThreadRunsTest, EndWithTheRecording) {
  runs_.add_thread(7, 10);
  runs_.add_thread(8, 10);
  add(SwitchKind::kIn, 20);
  runs_.finish(60);
  EXPECT_EQ(found_, (Texts{"7@1 20-60 ?"}));  // 8: not known whether it ran
  runs_.finish(70);
  EXPECT_EQ(found_.size(), 1U);
}

TEST_F(ThreadRunsTest, EndWithTheirThread) {
  add(SwitchKind::kBegan, 10);
  add(SwitchKind::kIn, 20);
  add(SwitchKind::kEnded, 30);
  EXPECT_EQ(found_, (Texts{"7@1 20-30 ended"}));
  runs_.finish(60);
  EXPECT_EQ(found_.size(), 1U);
}

TEST_F(ThreadRunsTest, AreNotInventedWhereSwitchesAreLost) {
  runs_.add_thread(7, 10);
  runs_.add_thread(8, 10);
  add(SwitchKind::kIn, 20);
  add(SwitchKind::kLost, 30, 8);
  add(SwitchKind::kWaited, 40);  // of a run whose beginning is lost, or of the one from 20 on
  add(SwitchKind::kIn, 50);
  add(SwitchKind::kWaited, 60);
  runs_.finish(70);
  EXPECT_EQ(found_, (Texts{"7@1 50-60 waited"}));
}

TEST_F(ThreadRunsTest, BeginAnewIfAThreadSeemsToRunAlready) {
  runs_.add_thread(7, 10);
  add(SwitchKind::kIn, 20);
  add(SwitchKind::kIn, 40);
  add(SwitchKind::kWaited, 50);
  EXPECT_EQ(found_, (Texts{"7@1 40-50 waited"}));
}

TEST_F(ThreadRunsTest, OfThreadsThatWereNotAnnouncedBeginWithTheirSwitch) {
  add(SwitchKind::kWaited, 30, 9);
  EXPECT_EQ(found_, (Texts{"9@1 30-30 waited"}));
}

}  // namespace
}  // namespace ringside::tool
