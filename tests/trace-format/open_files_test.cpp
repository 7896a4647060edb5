// Reading more files than a process can open.
#include "trace-format/reader/open_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "packed_bytes.hpp"
#include "section_index_bytes.hpp"
#include "trace-format/reader/trace_follower.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

// The process's limit of open files.
class LowLimit {
 public:
  explicit LowLimit(rlim_t files) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit low{files, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  ~LowLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  LowLimit(const LowLimit&) = delete;
  LowLimit& operator=(const LowLimit&) = delete;

 private:
  rlimit before_{};
};

std::ptrdiff_t open_in(const TemporaryDirectory& directory) {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::count_if(begin(all), end(all), [&](const auto& entry) {
    std::error_code code;
    return std::filesystem::read_symlink(entry.path(), code).string().starts_with(directory.path());
  });
}

Bytes stored_content(std::size_t number) {
  Bytes bytes(3 * kPiece);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(number + i / 7);
  return bytes;
}

std::string rotated_name(std::uint64_t number) {
  return "service.1.2." + std::to_string(number) + ".ringtrace";
}

Bytes read_part(TraceFile& file, std::uint64_t offset, std::size_t bytes) {
  Bytes result(bytes);
  result.resize(file.read(offset, result));
  return result;
}

TEST(OpenFiles, ClosesTheLeastRecentlyUsedAndOpensItAgain) {
  const TemporaryDirectory directory;
  ReadReport report;
  {
    OpenFiles open_files(report, 2);
    std::vector<std::unique_ptr<TraceFile>> files;
    for (std::size_t i = 0; i < 5; ++i) {
      const Bytes content = stored_content(i);
      const Bytes stored = i % 2 == 0 ? content : packed(content, kPiece);
      files.push_back(open_files.open(directory.write(std::to_string(i), stored), nullptr));
      ASSERT_TRUE(files.back());
      EXPECT_EQ(files.back()->size(), content.size());
    }
    for (const std::size_t offset : {std::size_t{0}, 2 * kPiece, kPiece - 10}) {
      for (std::size_t i = 0; i < files.size(); ++i) {
        const Bytes content = stored_content(i);
        const auto wanted = std::span(content).subspan(offset, 100);
        EXPECT_EQ(read_part(*files[i], offset, 100), Bytes(wanted.begin(), wanted.end())) << i;
        EXPECT_EQ(open_in(directory), 2);
      }
    }
    read_part(*files[3], 0, 1);
    files.erase(files.begin() + 4);
    EXPECT_EQ(open_in(directory), 1);
    read_part(*files[0], 0, 1);
    EXPECT_EQ(open_in(directory), 2) << "the place of a file that is not read again is free";
  }
  EXPECT_EQ(open_in(directory), 0);
  EXPECT_TRUE(report.notes.empty());
}

TEST(OpenFiles, ReadsAFileThatWasPackedWhileItWasClosed) {
  const TemporaryDirectory directory;
  ReadReport report;
  OpenFiles open_files(report, 1);
  const auto file = open_files.open(directory.write("a.ringtrace", stored_content(1)), nullptr);
  const auto other = open_files.open(directory.write("b.ringtrace", stored_content(2)), nullptr);
  ASSERT_TRUE(file && other);
  directory.write("a.ringtrace.zst", packed(stored_content(1), kPiece));
  std::filesystem::remove(directory.path() + "/a.ringtrace");
  EXPECT_EQ(read_part(*file, 0, 3 * kPiece), stored_content(1));
  EXPECT_TRUE(report.notes.empty());
}

TEST(OpenFiles, ReportsOnceThatAClosedFileWasRemoved) {
  const TemporaryDirectory directory;
  ReadReport report;
  OpenFiles open_files(report, 1);
  const auto file = open_files.open(directory.write("a.ringtrace", stored_content(1)), nullptr);
  const auto other = open_files.open(directory.write("b.ringtrace", stored_content(2)), nullptr);
  ASSERT_TRUE(file && other);
  std::filesystem::remove(directory.path() + "/a.ringtrace");
  EXPECT_TRUE(read_part(*file, 0, 10).empty());
  EXPECT_TRUE(read_part(*file, 10, 10).empty());
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes[0].text().find("a.ringtrace: cannot be opened: No such file"),
            std::string::npos)
      << report.notes[0].text();
}

TEST(OpenFiles, UpdatesTheSizeOfAClosedFile) {
  const TemporaryDirectory directory;
  ReadReport report;
  OpenFiles open_files(report, 1);
  const std::string path = directory.write("a.ringtrace", Bytes(10));
  const auto file = open_files.open(path, nullptr);
  const auto other = open_files.open(directory.write("b.ringtrace", Bytes(10)), nullptr);
  ASSERT_TRUE(file && other);
  std::filesystem::resize_file(path, 30);
  EXPECT_EQ(file->size(), 10U);
  file->look_again();
  EXPECT_EQ(file->size(), 30U);
  EXPECT_EQ(read_part(*file, 0, 100).size(), 30U);
  std::filesystem::resize_file(path, 40);
  file->look_again();
  EXPECT_EQ(file->size(), 40U);
}

TEST(OpenFiles, LeavesMostOfALowLimitToTheProgram) {
  {
    const LowLimit limit(256);
    EXPECT_EQ(OpenFiles::most_open_here(), 64U);
  }
  const LowLimit limit(2);
  EXPECT_EQ(OpenFiles::most_open_here(), 1U);
}

// One segment: its files begin with the same clock, older than all records, and are read in turn.
TEST(OpenFiles, RotatedFilesCanBeMoreThanTheLimit) {
  constexpr std::uint64_t kFiles = 300;
  const TemporaryDirectory directory;
  TraceFileBuilder writer;
  std::vector<std::string> paths;
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    writer.bytes.clear();
    writer.begin(1, "service", static_cast<std::uint32_t>(i));
    writer.extent(1, {100 * i + 1000, 100 * i + 1050});
    writer.sequence_point(100 * i + 1060);
    const Bytes bytes = with_index(writer.bytes);
    if (i % 3 == 0) {
      paths.push_back(directory.write(rotated_name(i) + ".zst", packed(bytes, kPiece)));
    } else {
      paths.push_back(directory.write(rotated_name(i), bytes));
    }
    times.insert(times.end(), {100 * i + 1000, 100 * i + 1050});
  }
  const LowLimit limit(100);
  const ReadResult r = read_all(paths);
  EXPECT_EQ(r.times(), times);
  EXPECT_EQ(r.report.records, 2 * kFiles);
  EXPECT_EQ(r.report.missing_records, 0U);
  EXPECT_EQ(r.report.late_records, 0U);
  EXPECT_EQ(r.report.sections_without_end, 0U);
  EXPECT_TRUE(r.report.notes.empty()) << r.report.notes.front().text();
}

// Files of as many services, too large to be fetched at once.
TEST(OpenFiles, FilesThatOverlapInTimeCanBeMoreThanTheLimit) {
  constexpr std::uint64_t kFiles = 24;
  constexpr std::uint8_t kOtherType = 77;
  const std::string filler(std::size_t{300} << 10, 'x');
  const TemporaryDirectory directory;
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    TraceFileBuilder writer;
    writer.begin(static_cast<std::uint8_t>(1 + i));
    for (std::uint64_t part = 1; part <= 3; ++part) {
      writer.extent(1, {1000 * part + i, 1000 * part + i + 500});
      times.insert(times.end(), {1000 * part + i, 1000 * part + i + 500});
      writer.sequence_point(1000 * part + 999);
      writer.block(kOtherType, filler);
    }
    const Bytes bytes = with_index(writer.bytes);
    if (i % 2 == 0) {
      directory.write(rotated_name(i), bytes);
    } else {
      directory.write(rotated_name(i) + ".zst", packed(bytes, kPiece));
    }
  }
  std::sort(times.begin(), times.end());
  const LowLimit limit(24);
  const ReadResult r = read_all({directory.path()});
  EXPECT_EQ(r.times(), times);
  EXPECT_EQ(r.report.missing_records, 0U);
  EXPECT_EQ(r.report.late_records, 0U);
  EXPECT_EQ(r.report.damaged_blocks, 0U);
  EXPECT_TRUE(r.report.notes.empty()) << r.report.notes.front().text();
}

TEST(OpenFiles, FollowedFilesCanBeMoreThanTheLimit) {
  constexpr std::size_t kFiles = 200;
  const TemporaryDirectory directory;
  std::vector<TraceFileBuilder> writers(kFiles);
  const auto flush = [&](std::size_t number) {
    std::ofstream stream(directory.path() + "/" + rotated_name(number),
                         std::ios::binary | std::ios::app);
    const Bytes bytes = std::move(writers[number].bytes);
    writers[number].bytes.clear();
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
  };
  for (std::size_t i = 0; i < kFiles; ++i) {
    writers[i].begin(static_cast<std::uint8_t>(1 + i));
    flush(i);
  }
  const LowLimit limit(100);
  ReadError error;
  auto follower = TraceFollower::open(std::vector<std::string>{directory.path()}, {}, &error, 0);
  ASSERT_TRUE(follower) << error.text();
  Event event;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    std::vector<std::uint64_t> times;
    for (std::size_t i = 0; i < kFiles; ++i) {
      writers[i].extent(1, {1000 * round + i});
      times.push_back(1000 * round + i);
      writers[i].sequence_point(1000 * round + 999);
      flush(i);
    }
    follower->wait(0);
    std::vector<std::uint64_t> seen;
    while (follower->next(event)) seen.push_back(event.unix_ns);
    EXPECT_EQ(seen, times);
  }
  follower->finish();
  EXPECT_FALSE(follower->next(event));
  EXPECT_EQ(follower->report().records, 3 * kFiles);
  EXPECT_TRUE(follower->report().notes.empty()) << follower->report().notes.front().text();
}

}  // namespace
}  // namespace ringside::trace::testing
