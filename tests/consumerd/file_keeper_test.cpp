// Which closed files remain, and which are packed.
#include "consumerd/files/file_keeper.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "section_files.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kKeptStem = "svc.1.20231114T221320-000000.";
constexpr std::size_t kPackedFileBytes = 100;

class FileKeeperTest : public testing::Test {
 protected:
  static std::string name_of(int sequence) {
    return kKeptStem + std::to_string(sequence) + ".ringtrace";
  }
  static std::string packed_name_of(int sequence) { return name_of(sequence) + ".zst"; }

  // Makes the file one second newer than the file with the previous number.
  void date(const std::string& name, int sequence) const {
    const timespec time{1'700'000'000 + sequence, 0};
    const std::array<timespec, 2> times{time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, dir_.file(name).c_str(), times.data(), 0), 0);
  }
  void make_packed(int sequence) const {
    std::ofstream(dir_.file(packed_name_of(sequence))) << std::string(kPackedFileBytes, 'x');
    date(packed_name_of(sequence), sequence);
  }
  void make_plain(int sequence, bool this_boot = false) const {
    write_section_file(dir_.file(name_of(sequence)), {}, this_boot);
    date(name_of(sequence), sequence);
  }

  consumer::Options options(const consumer::KeepPolicy& keep) const {
    consumer::Options options;
    options.output_dir = dir_.path();
    options.keep = keep;
    return options;
  }
  // Does all work that is due now.
  void work(const consumer::KeepPolicy& keep) const {
    consumer::FileKeeper keeper(options(keep), log_);
    keeper.finish();
  }
  Names names() const {
    Names all = dir_.names_with("");
    std::sort(all.begin(), all.end());
    return all;
  }
  // Waits for these names: the keeper acts on a change in its next turn at the latest.
  bool comes_to(consumer::FileKeeper& keeper, const Names& expected) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (names() != expected) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      keeper.look();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  const TemporaryDirectory dir_;
  const consumer::Log log_;
};

TEST_F(FileKeeperTest, AsManyFilesStayAsAreAllowed) {
  for (int i = 0; i < 5; ++i) make_packed(i);
  work({.files = 3});
  EXPECT_EQ(names(), (Names{packed_name_of(2), packed_name_of(3), packed_name_of(4)}));
}

TEST_F(FileKeeperTest, FilesThatFitExactlyStay) {
  for (int i = 0; i < 5; ++i) make_packed(i);
  work({.bytes = 3 * kPackedFileBytes});
  EXPECT_EQ(names(), (Names{packed_name_of(2), packed_name_of(3), packed_name_of(4)}));
  work({.bytes = 3 * kPackedFileBytes - 1});
  EXPECT_EQ(names(), (Names{packed_name_of(3), packed_name_of(4)}));
}

TEST_F(FileKeeperTest, BothFormsOfASurplusFileGo) {
  make_plain(0);
  make_packed(0);
  make_packed(1);
  work({.files = 1});
  EXPECT_EQ(names(), Names{packed_name_of(1)});
}

TEST_F(FileKeeperTest, AllClosedFilesArePackedAndKeepTheirDates) {
  for (int i = 0; i < 3; ++i) make_plain(i);
  // Left by a packer that died.
  std::ofstream(dir_.file(packed_name_of(1) + ".new")) << "the half of it";
  work({.pack = true});
  EXPECT_EQ(names(), (Names{packed_name_of(0), packed_name_of(1), packed_name_of(2)}));
  for (int i = 0; i < 3; ++i) {
    struct stat info {};
    ASSERT_EQ(stat(dir_.file(packed_name_of(i)).c_str(), &info), 0);
    EXPECT_EQ(info.st_mtim.tv_sec, 1'700'000'000 + i);
  }
}

TEST_F(FileKeeperTest, SurplusGoesWhereFilesArePacked) {
  for (int i = 0; i < 4; ++i) make_plain(i);
  work({.files = 2, .pack = true});
  EXPECT_EQ(names(), (Names{packed_name_of(2), packed_name_of(3)}));
}

// Another process may take a file into use after closed_files() has read it.
TEST_F(FileKeeperTest, AFileThatCannotBeClaimedStays) {
  make_plain(0);
  make_packed(1);
  // A lease permits everyone to read the file; opening it for writing, as for a claim, fails.
  const consumer::UniqueFd lease(open(dir_.file(name_of(0)).c_str(), O_RDONLY | O_CLOEXEC));
  const auto handler_before = std::signal(SIGIO, SIG_IGN);  // reports such an attempt
  ASSERT_EQ(fcntl(lease.get(), F_SETLEASE, F_RDLCK), 0);
  work({.files = 1});
  EXPECT_EQ(names(), (Names{name_of(0), packed_name_of(1)}));
  fcntl(lease.get(), F_SETLEASE, F_UNLCK);
  std::signal(SIGIO, handler_before);
  work({.files = 1});
  EXPECT_EQ(names(), Names{packed_name_of(1)});
}

TEST_F(FileKeeperTest, NewLimitsApply) {
  for (int i = 0; i < 4; ++i) make_packed(i);
  consumer::FileKeeper keeper(options({.files = 3}), log_);
  ASSERT_TRUE(comes_to(keeper, {packed_name_of(1), packed_name_of(2), packed_name_of(3)}));
  keeper.set_keep({.files = 1});
  EXPECT_TRUE(comes_to(keeper, {packed_name_of(3)}));
}

TEST_F(FileKeeperTest, OlderFilesOfAnAdoptedSegmentArePacked) {
  make_plain(0, true);
  make_plain(1, true);
  consumer::FileKeeper keeper(options({.pack = true}), log_);
  keeper.adopt(kKeptStem);
  ASSERT_TRUE(comes_to(keeper, {packed_name_of(0), name_of(1)}));
  // The segment is still adopted, without a second call.
  make_plain(2, true);
  EXPECT_TRUE(comes_to(keeper, {packed_name_of(0), packed_name_of(1), name_of(2)}));
}

}  // namespace
}  // namespace ringside::consumer_test
