// What a sink of files refuses, and what it takes from a queue that was created anew.

#include "tools/fleet/file_sink.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

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

// Two messages of each segment, of which the first leaves its section open.
class ManySegments : public ::testing::Test {
 protected:
  ManySegments() {
    std::string why;
    const auto cursors = CursorStore::open(in_.path() + "/state", &why);
    TraceSegments segments({in_.path()});
    SimulatedPublisher publisher(queue_);
    std::uint64_t now_ms = 1000;
    Shipper shipper(
        {}, segments, publisher, *cursors, [&now_ms] { return now_ms += 1000; },
        [](const std::string& text) { ADD_FAILURE() << text; });
    std::vector<TraceFileBuilder> builders(kSegments);
    for (const bool is_first : {true, false}) {
      for (std::size_t i = 0; i < kSegments; ++i) {
        TraceFileBuilder& builder = builders[i];
        if (is_first) {
          builder.begin(static_cast<std::uint8_t>(i), "gate");
          builder.stream(1, "thread");
        }
        builder.extent(1, std::vector<std::uint64_t>(kRecords, is_first ? 1'000'000 : 2'000'000));
        std::ofstream(in_.path() + "/gate.1.s" + std::to_string(i) + ".0.ringtrace",
                      std::ios::binary | std::ios::app)
            .write(reinterpret_cast<const char*>(builder.bytes.data()),
                   static_cast<std::streamsize>(builder.bytes.size()));
        builder.bytes.clear();
      }
      for (int step = 0; step < 20 || !shipper.is_done(); ++step) shipper.step(0);
    }
    open_sink();
  }

  void open_sink() {
    std::string why;
    sink_ = FileSink::open(
        out_.path(),
        [this](std::string_view key, Bytes& contents) {
          return delivery_.fetch_contents(key, contents);
        },
        &why);
    ASSERT_NE(sink_, nullptr) << why;
  }
  void take_all(std::size_t begin, std::size_t end) {
    const std::vector<StoredMessage> messages = queue_.messages();
    ASSERT_EQ(messages.size(), 2 * kSegments);
    for (std::size_t i = begin; i < end; ++i) {
      std::string why;
      ASSERT_EQ(sink_->take(messages[i], false, &why), FileSink::Taken::kYes) << why;
    }
  }
  std::vector<std::string> files() const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out_.path())) {
      if (entry.path().extension() == ".ringtrace") paths.push_back(entry.path());
    }
    return paths;
  }

  static constexpr std::size_t kSegments = 100;
  static constexpr std::size_t kRecords = 20;
  TemporaryDirectory in_;
  TemporaryDirectory out_;
  SimulatedQueue queue_{1, {}};
  SimulatedDelivery delivery_{queue_};
  std::unique_ptr<FileSink> sink_;
};

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST_F(ManySegments, CanBeMoreThanDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = open_descriptors() + 40;
  sink_.reset();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  open_sink();
  std::string why;
  take_all(0, 2 * kSegments);
  EXPECT_TRUE(sink_->sync(&why)) << why;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(files().size(), kSegments);
  const auto read = trace::testing::read_all(files());
  EXPECT_EQ(read.report.records, 2 * kSegments * kRecords);
  EXPECT_EQ(read.report.damaged_blocks, 0U);
}

TEST_F(ManySegments, FilesAreClosedWhenTheyAreDurable) {
  const std::size_t before = open_descriptors();
  std::string why;
  take_all(0, kSegments);
  EXPECT_TRUE(sink_->sync(&why)) << why;
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ManySegments, RemovedFileBeginsAgainWithItsSection) {
  std::string why;
  take_all(0, kSegments);
  EXPECT_TRUE(sink_->sync(&why)) << why;
  for (const std::string& path : files()) std::filesystem::remove(path);
  take_all(kSegments, 2 * kSegments);
  EXPECT_TRUE(sink_->sync(&why)) << why;
  const auto read = trace::testing::read_all(files());
  EXPECT_EQ(read.report.records, kSegments * kRecords);
  EXPECT_EQ(read.report.damaged_blocks, 0U);
}

}  // namespace
}  // namespace ringside::fleet::testing
