// What a sink of files refuses, and what it takes from a queue that was created anew.

#include "tools/fleet/file_sink.hpp"

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

// The messages of one segment, two extents in each.
class SinkTest : public ::testing::Test {
 protected:
  SinkTest() {
    TraceFileBuilder builder;
    builder.begin(1, "gate");
    builder.stream(1, "thread");
    for (std::uint64_t extent = 0; extent < kExtents; ++extent)
      builder.extent(1, std::vector<std::uint64_t>(kRecords, 1'000'000 + extent));
    builder.end();
    in_.write("gate.1.s.0.ringtrace", builder.bytes);
    std::string why;
    const auto cursors = CursorStore::open(in_.path() + "/state", &why);
    TraceSegments segments({in_.path()});
    SimulatedPublisher publisher(queue_);
    ShipperOptions options;
    options.message_bytes = 200;
    std::uint64_t now_ms = 1000;
    Shipper shipper(
        options, segments, publisher, *cursors, [&now_ms] { return now_ms += 1000; },
        [](const std::string& text) { ADD_FAILURE() << text; });
    while (!shipper.is_done()) shipper.step(0);
    messages_ = queue_.messages();
    sink_ = FileSink::open(
        out_.path(),
        [this](std::string_view key, Bytes& contents) {
          return delivery_.fetch_contents(key, contents);
        },
        &why);
  }

  FileSink::Taken take(const StoredMessage& message) {
    why_.clear();
    return sink_->take(message, false, &why_);
  }
  std::uint64_t stored_records() {
    EXPECT_TRUE(sink_->sync(&why_));
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out_.path())) {
      if (entry.path().extension() == ".ringtrace") paths.push_back(entry.path());
    }
    return paths.empty() ? 0 : trace::testing::read_all(paths).report.records;
  }
  // With the numbers that a new queue gives.
  StoredMessage in_new_queue(std::size_t which, std::uint64_t number,
                             std::uint64_t previous) const {
    StoredMessage message = messages_[which];
    ExtentMessage content;
    std::string why;
    EXPECT_TRUE(read_extent_message(message.payload, content, &why)) << why;
    content.previous = previous;
    message.number = number;
    message.payload = write_extent_message(content, 3);
    return message;
  }

  static constexpr std::uint64_t kExtents = 40;
  static constexpr std::size_t kRecords = 20;
  TemporaryDirectory in_;
  TemporaryDirectory out_;
  SimulatedQueue queue_{1, {}};
  SimulatedDelivery delivery_{queue_};
  std::vector<StoredMessage> messages_;
  std::unique_ptr<FileSink> sink_;
  std::string why_;
};

TEST_F(SinkTest, MessageOnTheSubjectOfAnotherSegmentIsRefused) {
  ASSERT_GT(messages_.size(), 3U);
  StoredMessage message = messages_[0];
  const std::string subject = message.subject;
  for (const std::string& other :
       {subject.substr(0, subject.size() - 1) + "f", "rs.ext.default.other" + subject.substr(16),
        subject + ".a.b", subject + ".", std::string("rs.ext.default"), std::string()}) {
    message.subject = other;
    EXPECT_EQ(take(message), FileSink::Taken::kRefused) << other;
    EXPECT_EQ(why_, "its subject is that of another segment");
  }
  EXPECT_EQ(stored_records(), 0U);
  message.subject = subject;
  EXPECT_EQ(take(message), FileSink::Taken::kYes);
}

TEST_F(SinkTest, MessageThatFollowsALaterOneIsRefused) {
  EXPECT_EQ(take(in_new_queue(0, 5, 5)), FileSink::Taken::kRefused);
  EXPECT_EQ(why_, "the message before it would be a later one");
  EXPECT_EQ(take(in_new_queue(0, 5, 0)), FileSink::Taken::kYes);
}

TEST_F(SinkTest, NewsOfAQueueThatWasCreatedAnewIsTaken) {
  const std::size_t half = messages_.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const std::uint64_t number = 1000 + i;
    ASSERT_EQ(take(in_new_queue(i, number, i == 0 ? 0 : number - 1)), FileSink::Taken::kYes);
  }
  const std::uint64_t before = stored_records();
  EXPECT_GT(before, 0U);
  // The shipper sends the last one again, and goes on: with small numbers.
  EXPECT_EQ(take(in_new_queue(half - 1, 1, 0)), FileSink::Taken::kYes);
  EXPECT_EQ(stored_records(), before);
  for (std::size_t i = half; i < messages_.size(); ++i) {
    const std::uint64_t number = 2 + i - half;
    ASSERT_EQ(take(in_new_queue(i, number, number - 1)), FileSink::Taken::kYes) << why_;
  }
  EXPECT_EQ(stored_records(), kExtents * kRecords);
}

TEST_F(SinkTest, SnapshotsHaveTheirOwnFolders) {
  for (StoredMessage message : messages_) {
    ASSERT_EQ(take(message), FileSink::Taken::kYes);
    message.subject += ".first";
    ASSERT_EQ(take(message), FileSink::Taken::kYes) << why_;
  }
  EXPECT_TRUE(sink_->sync(&why_));
  EXPECT_TRUE(std::filesystem::is_directory(out_.path() + "/snapshots/first"));
  EXPECT_EQ(sink_->counts().repeated_extents, 0U);
}

}  // namespace
}  // namespace ringside::fleet::testing
