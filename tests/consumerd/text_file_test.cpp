// The text file of a service: appending, rotation, retention, and what another program may do to
// it.

#include "consumerd/text/text_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::TextFile;
using consumer::TextPolicy;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class TextFileTest : public ::testing::Test {
 protected:
  TextFile opened(std::uint64_t device = 0, std::uint64_t inode = 0, std::uint64_t bytes = 0) {
    TextFile file(dir.path(), "shop");
    std::string why;
    EXPECT_TRUE(file.open(device, inode, bytes, &why)) << why;
    return file;
  }
  static void append(TextFile& file, const std::string& text) {
    std::size_t written = 0;
    std::string why;
    EXPECT_TRUE(file.append(text, &written, &why)) << why;
    EXPECT_EQ(written, text.size());
  }

  const TemporaryDirectory dir;
};

TEST_F(TextFileTest, AppendsToWhatIsThere) {
  std::ofstream(dir.file("shop.log")) << "before\n";
  TextFile file = opened();
  append(file, "after\n");
  EXPECT_EQ(content(dir.file("shop.log")), "before\nafter\n");
  EXPECT_EQ(file.bytes(), 13U);
}

TEST_F(TextFileTest, CutsOnlyTheFileThatItIsToldOf) {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  {
    TextFile file = opened();
    append(file, "kept\ncut");
    device = file.device();
    inode = file.inode();
  }
  EXPECT_EQ(opened(device, inode + 1, 5).bytes(), 8U);
  EXPECT_EQ(opened(device, inode, 5).bytes(), 5U);
  EXPECT_EQ(content(dir.file("shop.log")), "kept\n");
  // A shorter file was truncated by another program.
  EXPECT_EQ(opened(device, inode, 100).bytes(), 5U);
}

TEST_F(TextFileTest, ContinuesAtTheEndOfAFileThatWasTruncated) {
  TextFile file = opened();
  append(file, "copied away\n");
  std::filesystem::resize_file(dir.file("shop.log"), 0);
  append(file, "new\n");
  EXPECT_EQ(content(dir.file("shop.log")), "new\n");
}

TEST_F(TextFileTest, IsWrittenByOneOnly) {
  const TextFile first = opened();
  TextFile second(dir.path(), "shop");
  std::string why;
  EXPECT_FALSE(second.open(0, 0, 0, &why));
  EXPECT_NE(why.find("another consumerd"), std::string::npos) << why;
}

TEST_F(TextFileTest, RefusesLinksAndOtherThings) {
  std::string why;
  std::ofstream(dir.file("target")) << "untouched";
  std::filesystem::create_symlink(dir.file("target"), dir.file("shop.log"));
  EXPECT_FALSE(TextFile(dir.path(), "shop").open(0, 0, 0, &why));
  EXPECT_NE(why.find("symbolic link"), std::string::npos) << why;
  std::filesystem::remove(dir.file("shop.log"));
  std::filesystem::create_hard_link(dir.file("target"), dir.file("shop.log"));
  EXPECT_FALSE(TextFile(dir.path(), "shop").open(0, 0, 0, &why));
  std::filesystem::remove(dir.file("shop.log"));
  ASSERT_EQ(mkfifo(dir.file("shop.log").c_str(), 0600), 0);
  EXPECT_FALSE(TextFile(dir.path(), "shop").open(0, 0, 0, &why));
  EXPECT_NE(why.find("not a regular file"), std::string::npos) << why;
  EXPECT_EQ(content(dir.file("target")), "untouched");
}

TEST_F(TextFileTest, RotatedFilesGetRisingNumbers) {
  std::ofstream(dir.file("shop.000041.log")) << "old";
  std::ofstream(dir.file("shopping.000099.log")) << "of another service";
  std::string why;
  TextFile file = opened();
  append(file, "one\n");
  EXPECT_TRUE(file.has_name());
  ASSERT_TRUE(file.rotate(&why)) << why;
  EXPECT_FALSE(file.is_open());
  EXPECT_EQ(content(dir.file("shop.000042.log")), "one\n");
  EXPECT_FALSE(std::filesystem::exists(dir.file("shop.log")));
}

TEST_F(TextFileTest, RemovesTheOldestRotatedFilesOfItsService) {
  for (const char* const name : {"shop.000001.log", "shop.000002.log", "shop.1000003.log",
                                 "shop.log", "shop.x.log", "other.000001.log"}) {
    std::ofstream(dir.file(name)) << "0123456789";
  }
  const auto exists = [&](const char* name) { return std::filesystem::exists(dir.file(name)); };
  const TextFile file = opened();
  std::string why;
  TextPolicy policy;
  EXPECT_TRUE(file.remove_surplus(policy, &why));
  EXPECT_TRUE(exists("shop.000001.log"));
  policy.keep_files = 2;
  EXPECT_TRUE(file.remove_surplus(policy, &why));
  EXPECT_FALSE(exists("shop.000001.log"));
  EXPECT_TRUE(exists("shop.000002.log"));
  policy.keep_bytes = 15;
  EXPECT_TRUE(file.remove_surplus(policy, &why));
  EXPECT_FALSE(exists("shop.000002.log"));
  for (const char* const name :
       {"shop.1000003.log", "shop.log", "shop.x.log", "other.000001.log"}) {
    EXPECT_TRUE(exists(name)) << name;
  }
}

}  // namespace
}  // namespace ringside::consumer_test
