// Files that were found, but cannot be opened when their turn comes.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fleet/simulated_queue.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/fleet/shipper.hpp"

namespace ringside::fleet::testing {
namespace {

using trace::testing::TemporaryDirectory;
using trace::testing::TraceFileBuilder;

class UnopenedFiles : public ::testing::Test {
 protected:
  std::string write(std::uint32_t sequence, std::uint32_t records) {
    TraceFileBuilder builder;
    builder.begin(1, "gate", sequence);
    builder.stream(sequence, "thread");
    builder.extent(sequence, std::vector<std::uint64_t>(records, 1000));
    return folder_.write("gate.1.s." + std::to_string(sequence) + ".ringtrace", builder.bytes);
  }

  std::uint64_t ship() {
    for (int step = 0; step < 20 || !shipper_.is_done(); ++step) shipper_.step(0);
    return shipper_.counts().records;
  }

  const TemporaryDirectory folder_;
  TraceSegments segments_{{folder_.path()}};
  std::vector<std::string> complaints_;

 private:
  SimulatedQueue queue_{1, {}};
  std::string why_;
  const std::optional<CursorStore> cursors_ = CursorStore::open(folder_.path() + "/state", &why_);
  SimulatedPublisher publisher_{queue_};
  std::uint64_t now_ms_ = 1000;
  Shipper shipper_{{},
                   segments_,
                   publisher_,
                   *cursors_,
                   [this] { return now_ms_ += 1000; },
                   [this](const std::string& text) { complaints_.push_back(text); }};
};

TEST_F(UnopenedFiles, AreReadLaterIfTheyStillExist) {
  write(0, 2);
  const std::string second = write(1, 3);
  write(2, 4);
  ASSERT_TRUE(segments_.look(nullptr));
  std::filesystem::rename(second, second + ".away");
  std::filesystem::create_symlink(second, second);  // open() fails with ELOOP
  EXPECT_EQ(ship(), 2U) << "what follows would mark the file as shipped";
  EXPECT_EQ(ship(), 2U);
  EXPECT_EQ(complaints_.size(), 1U);
  std::filesystem::rename(second + ".away", second);
  EXPECT_EQ(ship(), 9U);
  EXPECT_EQ(complaints_.size(), 1U);
}

TEST_F(UnopenedFiles, ArePassedOverIfTheyAreGoneOrDamaged) {
  write(0, 2);
  const std::string gone = write(1, 3);
  const std::string damaged = write(2, 4);
  write(3, 5);
  ASSERT_TRUE(segments_.look(nullptr));
  std::filesystem::remove(gone);
  std::filesystem::remove(damaged);
  std::filesystem::create_directory(damaged);
  EXPECT_EQ(ship(), 7U);
  EXPECT_EQ(complaints_.size(), 2U);
}

TEST_F(UnopenedFiles, TheLastOfAllNumbersDoesNotBeginAgain) {
  write(0, 2);
  const std::string last = write(UINT32_MAX, 3);
  ASSERT_TRUE(segments_.look(nullptr));
  std::filesystem::remove(last);
  EXPECT_EQ(ship(), 2U);
  EXPECT_EQ(ship(), 2U);
}

}  // namespace
}  // namespace ringside::fleet::testing
