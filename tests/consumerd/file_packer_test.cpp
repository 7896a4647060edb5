#include "consumerd/files/file_packer.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::PackResult;

constexpr const char* kName = "svc.1.20231114T221320-000000.0.ringtrace";
constexpr std::uint32_t kWords = 50'000;

class FilePackerTest : public testing::Test {
 protected:
  // Random bytes, which do not compress.
  void make_file() const {
    std::mt19937 random(1);
    std::ofstream out(path_, std::ios::binary);
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const auto word = static_cast<std::uint32_t>(random());
      out.write(reinterpret_cast<const char*>(&word), sizeof word);
    }
  }
  std::size_t file_count() const { return dir_.names_with("").size(); }
  void remove_broken_off() const {
    consumer::remove_broken_off_packing(
        dir_.path(), [](const std::string& service) { return service == "svc"; });
  }

  const TemporaryDirectory dir_;
  const std::string path_ = dir_.file(kName);
  const std::string unfinished_ = path_ + ".zst.new";
};

TEST_F(FilePackerTest, AFileThatCannotBeWrittenLeavesTheUnpackedOneAndNothingElse) {
  make_file();
  const consumer::UniqueFd claim = consumer::claim_trace_file(path_);
  ASSERT_TRUE(claim);
  const std::atomic<bool> stop{false};
  std::string why;
  // As consumerd does at its start.
  const auto handler_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const PackResult failed = consumer::pack_trace_file(path_, claim, stop, &why);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler_before);
  EXPECT_EQ(failed, PackResult::kFailed);
  EXPECT_NE(why.find("File too large"), std::string::npos) << why;
  EXPECT_EQ(std::filesystem::file_size(path_), kWords * sizeof(std::uint32_t));
  EXPECT_EQ(file_count(), 1U);
  EXPECT_EQ(consumer::pack_trace_file(path_, claim, stop, &why), PackResult::kDone) << why;
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(std::filesystem::exists(path_ + ".zst"));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(FilePackerTest, AStoppedPackerLeavesTheUnpackedFileAndNothingElse) {
  make_file();
  const consumer::UniqueFd claim = consumer::claim_trace_file(path_);
  const std::atomic<bool> stop{true};
  std::string why;
  EXPECT_EQ(consumer::pack_trace_file(path_, claim, stop, &why), PackResult::kStopped);
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(FilePackerTest, TheUnfinishedFileOfADeadPackerIsRemoved) {
  make_file();
  std::ofstream(unfinished_) << "the half of it";
  remove_broken_off();
  EXPECT_FALSE(std::filesystem::exists(unfinished_));
  EXPECT_TRUE(std::filesystem::exists(path_));
  // Retention has removed the unpacked file in the meantime.
  std::filesystem::remove(path_);
  std::ofstream(unfinished_) << "the half of it";
  remove_broken_off();
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(FilePackerTest, TheUnfinishedFileOfALivePackerIsLeftAlone) {
  make_file();
  std::ofstream(unfinished_) << "the half of it";
  const consumer::UniqueFd claim = consumer::claim_trace_file(path_);
  ASSERT_TRUE(claim);
  remove_broken_off();
  EXPECT_TRUE(std::filesystem::exists(unfinished_));
}

TEST_F(FilePackerTest, UnfinishedFilesOfOthersAreLeftAlone) {
  for (const char* name :
       {"foreign.1.20231114T221320-000000.0.ringtrace.zst.new", "svc.1.x.0.ringtrace.zst.new",
        "svc.zst.new", "svc.1.20231114T221320-000000.0.ringtrace.new"}) {
    std::ofstream(dir_.file(name)) << "x";
  }
  remove_broken_off();
  EXPECT_EQ(file_count(), 4U);
}

}  // namespace
}  // namespace ringside::consumer_test
