#include "consumerd/staging_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::kNoSlot;
using consumer::kStagingSlots;
using consumer::StagingFile;

TEST(StagingFile, GivesEachSlotOnceAndTheLowestFreeOneAgain) {
  const TemporaryDirectory dir;
  std::string why;
  const auto staging = StagingFile::create(dir.path(), &why);
  ASSERT_NE(staging, nullptr) << why;
  bool first = false;
  for (std::uint32_t i = 0; i < kStagingSlots; ++i) {
    EXPECT_EQ(staging->acquire(&first), i);
    EXPECT_TRUE(first);
  }
  EXPECT_EQ(staging->acquire(&first), kNoSlot);
  EXPECT_FALSE(staging->out_of_memory());
  staging->release(7);
  staging->release(3);
  EXPECT_EQ(staging->acquire(&first), 3U);
  EXPECT_FALSE(first);
}

TEST(StagingFile, IsPrivateAndRemovedWhenEverythingIsWritten) {
  const TemporaryDirectory dir;
  std::string why;
  {
    const auto staging = StagingFile::create(dir.path(), &why);
    ASSERT_NE(staging, nullptr) << why;
    struct stat info {};
    const std::string name = consumer::staging_name(staging->uuid());
    ASSERT_EQ(stat(dir.file(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
  }
  EXPECT_TRUE(dir.names_with("ringside-staging.").empty());
}

TEST(StagingFile, StaysWhenAnExceptionLeavesSomethingCommitted) {
  const TemporaryDirectory dir;
  std::string why;
  {
    const auto staging = StagingFile::create(dir.path(), &why);
    ASSERT_NE(staging, nullptr) << why;
    bool first = false;
    staging->header(staging->acquire(&first)).commit.store(shm::make_commit(8, 0));
  }
  EXPECT_EQ(dir.names_with("ringside-staging.").size(), 1U);
}

TEST(StagingFile, NamesTheRemedyWhenItCannotBeCreated) {
  std::string why;
  EXPECT_EQ(StagingFile::create("/nonexistent", &why), nullptr);
  EXPECT_NE(why.find("/nonexistent/ringside-staging."), std::string::npos);
  EXPECT_NE(why.find("--shm-dir"), std::string::npos);
}

}  // namespace
}  // namespace ringside::consumer_test
