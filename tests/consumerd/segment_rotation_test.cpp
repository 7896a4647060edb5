// When the trace of a segment continues in a new file. The present time is a parameter, so nothing
// waits.
#include "consumerd/session/segment_rotation.hpp"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "faulty_block_io.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::DrainCounts;
using std::chrono::seconds;
using Clock = consumer::SegmentRotation::Clock;

class SegmentRotationTest : public testing::Test {
 protected:
  void SetUp() override {
    staging_ = consumer::StagingFile::create(shm_.path(), &why_);
    ASSERT_NE(staging_, nullptr) << why_;
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, io_, log_);
    file_ = consumer::TraceFile::open(
        out_.path(), service_.name(), service_.header(), *writer_, *staging_,
        [](const shm::JournalEntry&) {}, &why_);
    ASSERT_NE(file_, nullptr) << why_;
    rotation_.begin_first_section();
  }

  static DrainCounts counts(std::uint64_t records, std::uint64_t dropped) {
    DrainCounts counts;
    counts.records = records;
    counts.dropped = dropped;
    return counts;
  }

  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  std::string why_;
  const consumer::Log log_;
  ScriptedService service_{shm_.path(), "svc", 1, 1};
  FaultyBlockIo io_{1};
  std::unique_ptr<consumer::StagingFile> staging_;
  std::unique_ptr<consumer::SlotWriter> writer_;
  std::unique_ptr<consumer::TraceFile> file_;
  consumer::SegmentRotation rotation_{service_.control(), service_.name(), log_};
};

TEST_F(SegmentRotationTest, ASectionWithoutRecordsAndLossesStays) {
  rotation_.set_policy({0, seconds(1)});
  const auto later = [this] { return rotation_.section_start() + seconds(2); };
  EXPECT_FALSE(rotation_.is_due(later(), *file_, counts(0, 0)));
  EXPECT_FALSE(rotation_.is_due(rotation_.section_start(), *file_, counts(1, 0)));
  EXPECT_TRUE(rotation_.is_due(later(), *file_, counts(1, 0)));
  EXPECT_TRUE(rotation_.is_due(later(), *file_, counts(0, 1)));
  rotation_.rotated(*file_, counts(5, 7));
  EXPECT_FALSE(rotation_.is_due(later(), *file_, counts(5, 7)));
  EXPECT_TRUE(rotation_.is_due(later(), *file_, counts(6, 7)));
}

TEST_F(SegmentRotationTest, TheEndOfASectionHasTheCountsOfThisSection) {
  rotation_.rotated(*file_, counts(5, 7));
  const trace::EndBlock end = rotation_.section_end(trace::EndReason::kRotation, counts(15, 107));
  EXPECT_EQ(end.records, 10U);
  EXPECT_EQ(end.dropped, 100U);
}

TEST_F(SegmentRotationTest, AFailedRotationIsTriedAgainAfterAPause) {
  const auto before = Clock::now();
  rotation_.request();
  EXPECT_TRUE(rotation_.is_due(before, *file_, counts(1, 0)));
  rotation_.failed("no next file", *file_);
  EXPECT_FALSE(rotation_.is_due(before + seconds(4), *file_, counts(1, 0)));
  EXPECT_TRUE(rotation_.is_due(Clock::now() + seconds(6), *file_, counts(1, 0)));
}

}  // namespace
}  // namespace ringside::consumer_test
