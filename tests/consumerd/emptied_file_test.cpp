// What remains of a file whose records are removed before they are shipped, and of one whose
// records cannot be removed.
#include "consumerd/files/emptied_file.hpp"

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "consumerd/files/file_keeper.hpp"
#include "temporary_directory.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "trace-format/blocks/shipped_mark.hpp"

namespace ringside::consumer_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kRecordsOfFile = 500;

// No descriptor can be opened while it exists.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

class EmptiedFileTest : public testing::Test {
 protected:
  static std::string name_of(std::uint32_t number) {
    return "svc.1.20231114T221320-000000." + std::to_string(number) + ".ringtrace";
  }
  void write(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream(dir_.file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  // A closed file with records, of another boot.
  std::uint64_t write_records(const std::string& name, std::uint32_t number) const {
    trace::testing::TraceFileBuilder builder;
    builder.begin(1, "svc", number);
    builder.stream(1, "thread");
    std::vector<std::uint64_t> times(kRecordsOfFile);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = i * i * 7919;
    builder.extent(1, times);
    write(name, builder.bytes);
    return builder.bytes.size();
  }
  consumer::ClosedFile closed(std::uint32_t number, bool plain = true) const {
    consumer::ClosedFile file;
    file.name = *consumer::TraceName::parse(name_of(number));
    file.plain = plain;
    file.packed = !plain;
    return file;
  }
  consumer::Emptied empty(const consumer::ClosedFile& file) {
    return consumer::empty_trace_file(dir_.path(), file, &records_, &why_);
  }
  // Does all work of retention that is due; returns what is logged.
  std::string keep(std::uint64_t bytes) const {
    consumer::Options options;
    options.output_dir = dir_.path();
    options.keep.bytes = options.keep.unshipped_bytes = bytes;
    testing::internal::CaptureStderr();
    {
      const consumer::Log log;
      consumer::FileKeeper keeper(options, log);
      keeper.look();
      keeper.finish();
    }
    return testing::internal::GetCapturedStderr();
  }
  std::uint64_t size(const std::string& name) const { return fs::file_size(dir_.file(name)); }
  bool exists(const std::string& name) const { return fs::exists(dir_.file(name)); }

  const TemporaryDirectory dir_;
  std::uint64_t records_ = 0;
  std::string why_;
};

TEST_F(EmptiedFileTest, StatesItsRecordsAsLost) {
  const std::uint64_t bytes = write_records(name_of(0), 0);
  ASSERT_EQ(empty(closed(0)), consumer::Emptied::kYes) << why_;
  EXPECT_EQ(records_, kRecordsOfFile);
  EXPECT_LT(size(name_of(0)), bytes);
  const auto read = trace::testing::read_all({dir_.file(name_of(0))});
  EXPECT_EQ(read.report.dropped_records, kRecordsOfFile);
}

// A consumer that takes the segment over removes unfinished files with such a name.
TEST_F(EmptiedFileTest, DoesNotUseTheNameOfAFileThatIsCreated) {
  write_records(name_of(0), 0);
  const std::string created = consumer::unfinished_name(name_of(0));
  write_records(created, 0);
  ASSERT_EQ(empty(closed(0)), consumer::Emptied::kYes) << why_;
  EXPECT_TRUE(exists(created));
}

TEST_F(EmptiedFileTest, FileThatCannotBeOpenedStays) {
  const std::uint64_t bytes = write_records(name_of(0), 0);
  consumer::Emptied result = consumer::Emptied::kYes;
  {
    const NoMoreDescriptors none;
    result = empty(closed(0));
  }
  EXPECT_EQ(result, consumer::Emptied::kFailed);
  EXPECT_NE(why_.find("Too many open files"), std::string::npos) << why_;
  EXPECT_EQ(size(name_of(0)), bytes);
}

TEST_F(EmptiedFileTest, OnlyAFullDiskRemovesTheWholeFile) {
  const std::uint64_t bytes = write_records(name_of(0), 0);
  // In place of the file that states the loss.
  fs::create_directories(dir_.file(consumer::unfinished_name(name_of(0) + ".zst") + "/x"));
  write_records(name_of(1), 1);
  const std::string log = keep(1);
  ASSERT_TRUE(exists(name_of(0))) << log;
  EXPECT_EQ(size(name_of(0)), bytes) << log;
  EXPECT_LT(size(name_of(1)), bytes) << "the next one is emptied in its place";
  EXPECT_NE(log.find(name_of(0) + ": File exists; the file stays"), std::string::npos) << log;
}

// Between its last two steps.
TEST_F(EmptiedFileTest, EmptyingOfAProcessThatDiedIsFinished) {
  write_records(name_of(0), 0);
  ASSERT_EQ(empty(closed(0)), consumer::Emptied::kYes) << why_;
  write_records(name_of(0) + ".zst", 0);
  const std::uint64_t bytes = write_records(name_of(1), 1);
  const std::string log = keep(size(name_of(0)) + bytes);
  EXPECT_FALSE(exists(name_of(0) + ".zst")) << log;
  EXPECT_TRUE(exists(name_of(0)));
  EXPECT_EQ(size(name_of(1)), bytes) << "both fit, without the packed one";
  EXPECT_EQ(log, "");
}

TEST_F(EmptiedFileTest, PackedFormIsRemovedWithTheRecords) {
  write_records(name_of(0) + ".zst", 0);
  consumer::ClosedFile file = closed(0, false);
  ASSERT_EQ(empty(file), consumer::Emptied::kYes) << why_;
  ASSERT_TRUE(consumer::finish_emptying(dir_.path(), &file, &why_)) << why_;
  EXPECT_FALSE(exists(name_of(0) + ".zst"));
  EXPECT_TRUE(file.plain && file.emptied && !file.packed);
  EXPECT_EQ(file.bytes, size(name_of(0)));
}

TEST_F(EmptiedFileTest, PackedFormThatCannotBeRemovedIsReported) {
  write_records(name_of(0), 0);
  fs::create_directory(dir_.file(name_of(0) + ".zst"));
  consumer::ClosedFile file = closed(0);
  file.packed = true;
  EXPECT_FALSE(consumer::finish_emptying(dir_.path(), &file, &why_));
  EXPECT_NE(why_.find(".zst: "), std::string::npos) << why_;
  EXPECT_TRUE(file.packed);
}

TEST_F(EmptiedFileTest, MarkThatCannotBeReadIsReportedOnce) {
  write_records(name_of(0), 0);
  write_records(name_of(1), 1);
  std::array<std::uint8_t, 16> uuid{};
  uuid[0] = 1;
  const std::string mark =
      std::string(trace::ShippedMark::kFolder) + "/" + trace::ShippedMark::file_name(uuid);
  fs::create_directory(dir_.file(trace::ShippedMark::kFolder));
  fs::create_symlink("elsewhere", dir_.file(mark));
  const std::string log = keep(1);
  const std::size_t at = log.find("cannot read " + dir_.file(mark));
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find("cannot read", at + 1), std::string::npos) << log;
}

}  // namespace
}  // namespace ringside::consumer_test
