// Which file of a segment is continued, and which name the next one gets.
#include "consumerd/files/output_file.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/files/section_front.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::OutputFile;

constexpr const char* kStem = "svc.1.20231114T221320-000000.";

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() { segment_.uuid[0] = 1; }

  std::string path_of(int sequence) const {
    return dir_.file(kStem + std::to_string(sequence) + ".ringtrace");
  }
  void make(const std::string& path, const std::string& text) const { std::ofstream(path) << text; }
  static std::string text_of(const std::string& path) {
    return {std::istreambuf_iterator<char>(std::ifstream(path).rdbuf()), {}};
  }
  // The beginning of a section of a segment.
  static std::string section_of(const shm::SegmentHeader& segment) {
    std::array<std::byte, 1024> block;
    const std::size_t bytes =
        trace::write_header_block(consumer::section_header(segment, 0), block);
    return {reinterpret_cast<const char*>(block.data()), bytes};
  }
  OutputFile open_newest() const {
    OutputFile file;
    std::string why;
    EXPECT_TRUE(consumer::open_newest_output(dir_.path(), kStem, segment_, {}, &file, &why)) << why;
    return file;
  }

  const TemporaryDirectory dir_;
  shm::SegmentHeader segment_{};
};

TEST_F(OutputFileTest, NewestFileOfTheSegmentIsContinued) {
  make(path_of(0), section_of(segment_));
  make(path_of(1), section_of(segment_));
  EXPECT_EQ(open_newest().path, path_of(1));
}

// Segments of different containers can share a stem.
TEST_F(OutputFileTest, FileOfAnotherSegmentIsNotContinued) {
  shm::SegmentHeader other{};
  other.uuid[0] = 2;
  make(path_of(0), section_of(other));
  EXPECT_EQ(open_newest().path, path_of(1));
}

TEST_F(OutputFileTest, NumberOfAPackedFileIsNotUsedAgain) {
  make(path_of(0) + ".zst", "packed");
  EXPECT_EQ(open_newest().path, path_of(1));
}

TEST_F(OutputFileTest, UnfinishedFilesOfADeadConsumerAreRemoved) {
  const std::string other = dir_.file("svc.2.20231114T221320-000000.0.ringtrace.new");
  make(path_of(3) + ".new", "half of a front");
  make(other, "of another segment");
  EXPECT_EQ(open_newest().path, path_of(0));
  EXPECT_FALSE(std::filesystem::exists(path_of(3) + ".new"));
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST_F(OutputFileTest, NewFileDoesNotReplaceAnother) {
  make(path_of(4), "another");
  std::vector<std::uint32_t> asked;
  const auto front = [&asked](std::uint32_t sequence) {
    asked.push_back(sequence);
    return std::vector<std::byte>(7);
  };
  OutputFile file;
  std::string why;
  ASSERT_TRUE(consumer::create_output(dir_.path(), kStem, 4, front, &file, &why)) << why;
  EXPECT_EQ(file.path, path_of(5));
  EXPECT_EQ(file.sequence, 5U);
  EXPECT_EQ(file.bytes, 7U);
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{4, 5})) << "the front contains the number";
  EXPECT_EQ(text_of(path_of(4)), "another");
  EXPECT_EQ(dir_.names_with("").size(), 2U) << "no unfinished file is left";
}

}  // namespace
}  // namespace ringside::consumer_test
