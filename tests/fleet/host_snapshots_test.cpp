// The answers of a host to requests for snapshots, if it cannot read all that it should.

#include "tools/fleet/host_snapshots.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/simulated_queue.hpp"
#include "tests/trace-format/trace_file_builder.hpp"

namespace ringside::fleet::testing {
namespace {

using trace::testing::TemporaryDirectory;
using trace::testing::TraceFileBuilder;

class HostSnapshotAnswers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(shm_);
    TraceFileBuilder builder;
    builder.begin(1, "gate", 0);
    builder.stream(1, "thread");
    builder.extent(1, {1000, 1001, 1002});
    file_ = folder_.write("gate.1.s.0.ringtrace", builder.bytes);
  }

  FleetSnapshotAnswer take(const std::vector<std::string>& paths) {
    SimulatedQueue queue(1, {});
    std::vector<FleetSnapshotAnswer> answers;
    std::uint64_t now_ms = 1000;
    HostSnapshots snapshots(
        {state_, shm_, paths, "host", {}},
        [&queue](std::string*) { return std::make_unique<SimulatedPublisher>(queue); },
        [&answers](const std::string&, const FleetSnapshotAnswer& answer) {
          answers.push_back(answer);
        },
        [&now_ms] { return now_ms += 100; },
        [this](const std::string& text) { complaints_.push_back(text); });
    FleetSnapshotRequest request;
    request.id = "one";
    snapshots.take(request, "inbox");
    private_ = std::filesystem::status(state_).permissions();
    for (int step = 0; step < 100 && snapshots.taken() == 0; ++step) snapshots.step();
    EXPECT_EQ(answers.size(), 2U);
    return answers.empty() ? FleetSnapshotAnswer{} : answers.back();
  }

  const TemporaryDirectory folder_;
  const std::string state_ = folder_.path() + "/state";
  const std::string shm_ = folder_.path() + "/shm";
  std::string file_;
  std::filesystem::perms private_{};
  std::vector<std::string> complaints_;
};

TEST_F(HostSnapshotAnswers, HaveNoErrorIfEverythingWasRead) {
  const FleetSnapshotAnswer answer = take({file_});
  EXPECT_TRUE(answer.is_done);
  EXPECT_EQ(answer.records, 3U);
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(private_, std::filesystem::perms::owner_all);
}

TEST_F(HostSnapshotAnswers, NameWhatIsDamagedBesideWhatIsNot) {
  TraceFileBuilder builder;
  builder.begin(2, "damaged", 0);
  builder.stream(1, "thread");
  const std::size_t first = builder.bytes.size();
  builder.extent(1, {1000, 1001});
  builder.extent(1, {1002});
  builder.bytes[first] ^= std::byte{1};
  const std::string damaged = folder_.write("damaged.1.s.0.ringtrace", builder.bytes);
  const FleetSnapshotAnswer answer = take({damaged, file_});
  EXPECT_TRUE(answer.is_done);
  EXPECT_EQ(answer.records, 4U);
  EXPECT_NE(answer.error.find(damaged), std::string::npos) << answer.error;
  EXPECT_EQ(complaints_.size(), 1U);
}

TEST_F(HostSnapshotAnswers, TellThatFlightRecordersAreMissing) {
  std::filesystem::remove(shm_);
  const FleetSnapshotAnswer answer = take({file_});
  EXPECT_EQ(answer.records, 3U);
  EXPECT_NE(answer.error.find(shm_), std::string::npos) << answer.error;
  EXPECT_EQ(complaints_.size(), 1U);
}

}  // namespace
}  // namespace ringside::fleet::testing
