#include "consumerd/write/staging_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "consumerd/write/recovery.hpp"
#include "consumerd/write/staging_place.hpp"
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

TEST(StagingFile, InAnotherDirectoryIsFoundByItsMarkerAndRemovedWithIt) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  std::string why;
  {
    const auto staging = StagingFile::create_elsewhere(shm.path(), out.path(), &why);
    ASSERT_NE(staging, nullptr) << why;
    const std::string name = consumer::staging_name(staging->uuid());
    EXPECT_TRUE(staging->is_elsewhere());
    EXPECT_TRUE(staging->reachable());
    EXPECT_EQ(out.names_with(name), std::vector<std::string>{name});
    const std::string marker = consumer::staging_marker(name, out.path());
    EXPECT_EQ(shm.names_with(""), std::vector<std::string>{marker});
    EXPECT_EQ(std::filesystem::file_size(shm.file(marker)), 0U);
    EXPECT_EQ(consumer::find_staging(shm.path(), name).directory, out.path());
    EXPECT_TRUE(consumer::is_staging_in_use(shm.path(), name));
    const consumer::Log log;
    EXPECT_EQ(consumer::recover_staging(shm.path(), name, log), consumer::RecoveryResult::kInUse);
    std::filesystem::remove(shm.file(marker));
    EXPECT_FALSE(staging->reachable()) << "a successor would not find it";
  }
  EXPECT_TRUE(shm.names_with("").empty());
  EXPECT_TRUE(out.names_with("").empty());
}

TEST(StagingFile, IsNotReachableIfAnotherFileHasItsName) {
  const TemporaryDirectory dir;
  std::string why;
  const auto staging = StagingFile::create(dir.path(), &why);
  ASSERT_NE(staging, nullptr) << why;
  EXPECT_TRUE(staging->reachable());
  const std::string path = dir.file(consumer::staging_name(staging->uuid()));
  std::filesystem::remove(path);
  EXPECT_FALSE(staging->reachable());
  std::ofstream(path) << "another file";
  EXPECT_FALSE(staging->reachable());
}

TEST(StagingFile, OfADeadConsumerdInAnotherDirectoryIsFinishedWithItsMarkerOrWithout) {
  for (const bool marked : {true, false}) {
    const TemporaryDirectory shm;
    const TemporaryDirectory out;
    const TemporaryDirectory another_shm;
    std::string why;
    std::string name;
    {
      const auto staging = StagingFile::create_elsewhere(shm.path(), out.path(), &why);
      ASSERT_NE(staging, nullptr) << why;
      name = consumer::staging_name(staging->uuid());
      bool first = false;
      const std::uint32_t slot = staging->acquire(&first);
      std::ofstream(out.file("svc.ringtrace")) << "0123";
      out.file("svc.ringtrace").copy(staging->header(slot).file_path, 3071);
      staging->header(slot).file_offset = 4;
      std::memcpy(staging->data(slot).data(), "abcdef", 6);
      staging->header(slot).commit.store(shm::make_commit(6, 0));
    }
    const std::string marker = consumer::staging_marker(name, out.path());
    ASSERT_TRUE(std::filesystem::exists(shm.file(marker)));
    const consumer::Log log;
    consumer::recover_unmarked_staging(another_shm.path(), out.path(), log);
    EXPECT_TRUE(std::filesystem::exists(out.file(name))) << "of other segments";
    if (marked) {
      EXPECT_TRUE(consumer::recover_all_staging(shm.path(), log));
    } else {
      std::filesystem::remove(shm.file(marker));
      consumer::recover_unmarked_staging(shm.path(), out.path(), log);
    }
    EXPECT_EQ(std::filesystem::file_size(out.file("svc.ringtrace")), 10U);
    EXPECT_FALSE(std::filesystem::exists(out.file(name)));
    EXPECT_TRUE(shm.names_with("").empty());
  }
}

TEST(StagingMarker, NamesItsDirectoryAndNothingElse) {
  for (const std::string directory : {"/a", "/a/b%2F/c@d", "/%/%25/ \n"}) {
    const auto entry =
        consumer::parse_staging_entry(consumer::staging_marker("ringside-staging.00", directory));
    EXPECT_EQ(entry.name, "ringside-staging.00");
    EXPECT_EQ(entry.directory, directory);
  }
  for (const std::string hostile : {"", "relative", "..%2F..%2Fetc", "%", "%2", "%41", "%2Fa%"}) {
    EXPECT_FALSE(consumer::parse_staging_entry("ringside-staging.00@" + hostile).directory)
        << hostile;
  }
}

TEST(StagingFile, NamesTheRemedyWhenItCannotBeCreated) {
  std::string why;
  EXPECT_EQ(StagingFile::create("/nonexistent", &why), nullptr);
  EXPECT_NE(why.find("/nonexistent/ringside-staging."), std::string::npos);
  EXPECT_NE(why.find("--shm-dir"), std::string::npos);
}

}  // namespace
}  // namespace ringside::consumer_test
