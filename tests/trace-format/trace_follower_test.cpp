// Files that grow, rotate and are packed while they are read.
#include "trace-format/reader/trace_follower.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "packed_bytes.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using Times = std::vector<std::uint64_t>;

constexpr unsigned kNoPatience = 0;
constexpr unsigned kForeverMs = 1U << 30;

void append_to(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::app);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

// A file that is written in pieces.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) { flush(); }
  TraceFileBuilder writer;
  void flush() {
    append_to(path_, writer.bytes);
    writer.bytes.clear();
  }

 private:
  std::string path_;
};

Times times_of(TraceFollower& follower, std::vector<ReadEvent>* events = nullptr) {
  follower.wait(0);
  Times times;
  Event event;
  while (follower.next(event)) {
    times.push_back(event.unix_ns);
    if (events != nullptr) events->push_back(copy_of(event));
  }
  return times;
}

std::optional<TraceFollower> follow(const std::string& path, unsigned patience_ms = kNoPatience,
                                    ReadOptions options = {}) {
  return TraceFollower::open(std::vector<std::string>{path}, std::move(options), nullptr,
                             patience_ms);
}

TEST(TraceFollower, DeliversWhatSequencePointsPass) {
  const TemporaryDirectory directory;
  GrowingFile file(directory.path() + "/a.ringtrace");
  file.writer.begin();
  file.writer.extent(1, {10, 30});
  file.flush();
  auto follower = follow(directory.path() + "/a.ringtrace");
  ASSERT_TRUE(follower);
  EXPECT_EQ(times_of(*follower), Times()) << "an older record of another stream can follow";
  file.writer.extent(2, {20, 50});
  file.writer.sequence_point(40);
  file.flush();
  EXPECT_EQ(times_of(*follower), (Times{10, 20, 30}));
  EXPECT_EQ(times_of(*follower), Times());
  file.writer.clock({60, 60, std::uint64_t{2} << 40, 0, 0});
  file.writer.stream(3, "new");
  file.writer.extent(3, {70});
  file.writer.sequence_point(100);
  file.flush();
  EXPECT_EQ(times_of(*follower), (Times{50, 80}));
  file.writer.extent(1, {110});
  file.writer.end();
  file.flush();
  EXPECT_EQ(times_of(*follower), (Times{160}));
  EXPECT_EQ(follower->report().late_records, 0U);
  EXPECT_EQ(follower->report().damaged_blocks, 0U);
  EXPECT_EQ(follower->report().sections_without_end, 0U);
  EXPECT_TRUE(follower->report().notes.empty());
}

TEST(TraceFollower, WaitsForTheRestOfABlock) {
  const TemporaryDirectory directory;
  TraceFileBuilder writer;
  writer.begin();
  for (std::uint64_t i = 0; i < 5; ++i) {
    writer.extent(1, {100 * i, 100 * i + 50});
    writer.sequence_point(100 * i + 60);
  }
  const std::string path = directory.path() + "/a.ringtrace";
  append_to(path, {});
  auto follower = follow(path);
  ASSERT_TRUE(follower);
  Times times;
  for (const std::byte byte : writer.bytes) {
    append_to(path, {&byte, 1});
    const Times more = times_of(*follower);
    times.insert(times.end(), more.begin(), more.end());
  }
  EXPECT_EQ(times, (Times{0, 50, 100, 150, 200, 250, 300, 350, 400, 450}));
  EXPECT_EQ(follower->report().damaged_blocks, 0U);
  EXPECT_TRUE(follower->report().notes.empty());
}

TEST(TraceFollower, SkipsDamageOnceTheFileHasGrownPastIt) {
  const TemporaryDirectory directory;
  GrowingFile file(directory.path() + "/a.ringtrace");
  file.writer.begin();
  file.writer.extent(1, {10});
  file.writer.sequence_point(20);
  file.writer.bytes.resize(file.writer.bytes.size() + 100);
  file.flush();
  auto follower = follow(directory.path());
  ASSERT_TRUE(follower);
  Times times;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    file.writer.extent(1, {100 * i});
    file.writer.sequence_point(100 * i + 1);
    file.flush();
    const Times more = times_of(*follower);
    times.insert(times.end(), more.begin(), more.end());
  }
  EXPECT_EQ(times.size(), 41U);
  EXPECT_EQ(follower->report().damaged_bytes, 100U);
}

TEST(TraceFollower, DeliversAndCountsLateExtents) {
  const TemporaryDirectory directory;
  GrowingFile file(directory.path() + "/a.ringtrace");
  file.writer.begin();
  file.writer.extent(1, {100});
  file.writer.sequence_point(200);
  file.writer.extent(2, {50});  // late, but present from the beginning
  file.flush();
  auto follower = follow(directory.path());
  ASSERT_TRUE(follower);
  EXPECT_EQ(times_of(*follower), (Times{50, 100}));
  file.writer.extent(1, {210});
  file.writer.sequence_point(300);
  file.writer.extent(2, {205});
  file.writer.sequence_point(310);
  file.flush();
  EXPECT_EQ(times_of(*follower), (Times{210, 205}));
  EXPECT_EQ(follower->report().late_records, 1U);
}

TEST(TraceFollower, ContinuesWithTheNextFileOfASegmentAndNotWithItsPackedOne) {
  const TemporaryDirectory directory;
  const std::string first = directory.path() + "/a.0.ringtrace";
  TraceFileBuilder writer;
  writer.begin(1, "service", 0);
  writer.extent(1, {100});
  writer.sequence_point(150);
  append_to(first, writer.bytes);
  Bytes whole = writer.bytes;
  writer.bytes.clear();
  auto follower = follow(directory.path());
  ASSERT_TRUE(follower);
  EXPECT_EQ(times_of(*follower), Times{100});
  // Between two polls the END is written, the next file begins, and the first one is packed.
  writer.extent(1, {160});
  writer.end();
  append_to(first, writer.bytes);
  append(whole, writer.bytes);
  writer.bytes.clear();
  writer.lose(1, 2);
  writer.begin(1, "service", 1);
  writer.extent(1, {200});
  writer.sequence_point(250);
  append_to(directory.path() + "/a.1.ringtrace", writer.bytes);
  directory.write("a.0.ringtrace.zst", packed(whole, 4096));
  std::filesystem::remove(first);
  std::vector<ReadEvent> events;
  EXPECT_EQ(times_of(*follower, &events), (Times{160, 200, 200}));
  EXPECT_EQ(events[1].cause, LossCause::kMissing) << "sequence numbers continue from file to file";
  EXPECT_EQ(events[1].number, 2U);
  EXPECT_EQ(times_of(*follower), Times());
  EXPECT_EQ(follower->report().files, 2U);
}

TEST(TraceFollower, ReadsSectionsThatAreAppended) {
  const TemporaryDirectory directory;
  GrowingFile file(directory.path() + "/a.ringtrace");
  file.writer.begin(1);
  file.writer.extent(1, {100});
  file.writer.end();
  file.flush();
  auto follower = follow(directory.path());
  ASSERT_TRUE(follower);
  EXPECT_EQ(times_of(*follower), Times{100});
  file.writer.begin(2);
  file.writer.extent(1, {300});
  file.flush();
  EXPECT_EQ(times_of(*follower), Times());
  file.writer.begin(3);  // the previous writer died: no END
  file.writer.extent(1, {500});
  file.writer.sequence_point(600);
  file.flush();
  EXPECT_EQ(times_of(*follower), (Times{300, 500}));
  EXPECT_EQ(follower->report().sections, 3U);
}

TEST(TraceFollower, DeliversTheRestWhenItFinishes) {
  const TemporaryDirectory directory;
  GrowingFile file(directory.path() + "/a.ringtrace");
  file.writer.begin();
  file.writer.extent(1, {100});
  file.flush();
  auto follower = follow(directory.path());
  ASSERT_TRUE(follower);
  EXPECT_EQ(times_of(*follower), Times());
  follower->finish();
  EXPECT_EQ(times_of(*follower), Times{100});
  EXPECT_EQ(follower->report().sections_without_end, 1U);
}

TEST(TraceFollower, KeepsSeveralFilesInOrderAsLongAsAllGrow) {
  const TemporaryDirectory directory;
  GrowingFile a(directory.path() + "/a.ringtrace");
  GrowingFile b(directory.path() + "/b.ringtrace");
  a.writer.begin(1);
  b.writer.begin(2);
  a.writer.extent(1, {100, 300});
  a.writer.sequence_point(400);
  b.writer.extent(1, {200});
  b.writer.sequence_point(250);
  a.flush();
  b.flush();
  auto patient = follow(directory.path(), kForeverMs);
  auto hasty = follow(directory.path(), kNoPatience);
  ASSERT_TRUE(patient && hasty);
  EXPECT_EQ(times_of(*patient), (Times{100, 200})) << "b can have a record older than 300";
  EXPECT_EQ(times_of(*hasty), (Times{100, 200, 300}));
  b.writer.extent(1, {260, 350});
  b.writer.sequence_point(500);
  b.flush();
  EXPECT_EQ(times_of(*patient), (Times{260, 300, 350}));
  EXPECT_EQ(patient->report().late_records, 0U);
  EXPECT_EQ(times_of(*hasty), (Times{260, 350}));
  EXPECT_EQ(hasty->report().late_records, 1U);
}

TEST(TraceFollower, WakesUpWhenAFileGrowsOrAppears) {
  const TemporaryDirectory directory;
  auto follower = follow(directory.path());
  ASSERT_TRUE(follower) << "an empty directory";
  EXPECT_FALSE(follower->wait(0));
  TraceFileBuilder writer;
  writer.begin();
  writer.extent(1, {100});
  writer.sequence_point(200);
  std::thread service([&] { directory.write("a.ringtrace", writer.bytes); });
  Times times;
  while (times.empty()) {
    follower->wait(-1);
    times = times_of(*follower);
  }
  service.join();
  EXPECT_EQ(times, Times{100});
}

TEST(TraceFollower, DeliversOnlyWhatIsRequested) {
  const TemporaryDirectory directory;
  GrowingFile file(directory.path() + "/a.ringtrace");
  file.writer.begin();
  file.writer.extent(1, {100, 200});
  file.writer.extent(2, {150, 250});
  file.writer.sequence_point(300);
  file.flush();
  ReadOptions options;
  options.since_ns = 200;
  options.until_ns = 1000;
  options.threads = 2;
  options.stream = [](const StreamInfo& stream, const SegmentInfo&) { return stream.id == 1; };
  auto follower = follow(directory.path(), kNoPatience, options);
  ASSERT_TRUE(follower);
  EXPECT_EQ(times_of(*follower), Times{200});
  file.writer.extent(1, {400, 1100});
  file.writer.extent(2, {500});
  file.writer.sequence_point(1200);
  file.flush();
  EXPECT_EQ(times_of(*follower), Times{400});
}

TEST(TraceFollower, NamesMissingFiles) {
  const TemporaryDirectory directory;
  ReadError error;
  EXPECT_FALSE(
      TraceFollower::open(std::vector<std::string>{directory.path() + "/absent"}, {}, &error));
  EXPECT_NE(error.text().find("absent"), std::string::npos);
}

}  // namespace
}  // namespace ringside::trace::testing
