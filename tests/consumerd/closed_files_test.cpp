// Which files consumerd can take away from processes that can still write to them, rule by rule.
#include "consumerd/files/closed_files.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/files/output_file.hpp"
#include "consumerd/files/section_front.hpp"
#include "section_files.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::ClosedFile;
using trace::EndReason;

constexpr const char* kStem = "svc.1.20231114T221320-000000.";
constexpr const char* kOtherStem = "svc.2.20231114T221320-000000.";

class ClosedFilesTest : public testing::Test {
 protected:
  static std::string name_of(const std::string& stem, int sequence) {
    return stem + std::to_string(sequence) + ".ringtrace";
  }

  // A section of this boot or of another one, with or without an END block.
  void make(const std::string& name, std::optional<EndReason> end, bool this_boot = true) const {
    write_section_file(dir_.file(name), end, this_boot);
  }

  // Gives the files whole seconds as modification times, in the order of `names`.
  void put_in_order(const std::vector<std::string>& names) const {
    time_t second = 1'700'000'000;
    for (const std::string& name : names) {
      const timespec time{second++, 0};
      const std::array<timespec, 2> times{time, time};
      ASSERT_EQ(utimensat(AT_FDCWD, dir_.file(name).c_str(), times.data(), 0), 0);
    }
  }

  std::vector<std::string> closed(const std::set<std::string>& own_stems = {},
                                  const std::string& service = "svc") const {
    std::vector<std::string> names;
    const std::vector<ClosedFile> files = find(own_stems)[service];
    for (const ClosedFile& file : files) names.push_back(file.name.text());
    return names;
  }

  std::map<std::string, std::vector<ClosedFile>> find(
      const std::set<std::string>& own_stems = {}) const {
    return consumer::closed_files(dir_.path(), own_stems,
                                  [](const std::string& service) { return service != "foreign"; });
  }

  using Names = std::vector<std::string>;

  TemporaryDirectory dir_;
};

TEST_F(ClosedFilesTest, TheNewestFileOfASegmentIsClosedByTheEndOfItsServiceOnly) {
  const std::string name = name_of(kStem, 0);
  make(name, {});
  EXPECT_EQ(closed(), Names{});
  EXPECT_EQ(closed({kStem}), Names{});
  make(name, EndReason::kConsumerEnded);
  EXPECT_EQ(closed({kStem}), Names{});
  make(name, EndReason::kRotation);  // its successor has no name yet
  EXPECT_EQ(closed({kStem}), Names{});
  make(name, EndReason::kServiceEnded);
  EXPECT_EQ(closed(), Names{name});
}

TEST_F(ClosedFilesTest, AFileThatWasRotatedIsClosedOnceANewerOneExists) {
  make(name_of(kStem, 0), EndReason::kRotation);
  make(name_of(kOtherStem, 1), {});  // of another segment
  EXPECT_EQ(closed(), Names{});
  make(name_of(kStem, 1), {});
  EXPECT_EQ(closed(), Names{name_of(kStem, 0)});
}

TEST_F(ClosedFilesTest, AnOlderFileWithoutEndIsOpenUntilItsSegmentIsTakenOverOrOver) {
  // A slot of a dead consumerd can still be written to this file.
  make(name_of(kStem, 0), {});
  make(name_of(kStem, 1), {});
  EXPECT_EQ(closed(), Names{});
  EXPECT_EQ(closed({kOtherStem}), Names{});
  EXPECT_EQ(closed({kStem}), Names{name_of(kStem, 0)});
  make(name_of(kStem, 1), EndReason::kServiceEnded);
  put_in_order({name_of(kStem, 0), name_of(kStem, 1)});
  EXPECT_EQ(closed(), (Names{name_of(kStem, 0), name_of(kStem, 1)}));
  // The END of a file in between says nothing about the end of its segment.
  make(name_of(kStem, 1), EndReason::kRotation);
  make(name_of(kStem, 2), {});
  EXPECT_EQ(closed(), Names{name_of(kStem, 1)});
}

// Under a name that consumerd could have given. What the name says of the others still holds.
TEST_F(ClosedFilesTest, AFileWithOtherContentIsNeverClosed) {
  for (int i = 0; i < 6; ++i) make(name_of(kStem, i), EndReason::kRotation);
  const auto put = [this](int sequence, const std::string& content) {
    std::ofstream(dir_.file(name_of(kStem, sequence)), std::ios::binary) << content;
  };
  put(0, "not a trace");
  put(1, std::string(100'000, 'x'));
  put(2, std::string(4096, '\0') + "zeros of a power failure");
  put(3, "");
  Names found = closed({kStem});  // by time of last change, which put() has set
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (Names{name_of(kStem, 2), name_of(kStem, 3), name_of(kStem, 4)}));
}

TEST_F(ClosedFilesTest, AFileOfAnotherBootIsClosedWhateverItsEnd) {
  make(name_of(kStem, 0), {}, false);
  EXPECT_EQ(closed(), Names{name_of(kStem, 0)});
}

TEST_F(ClosedFilesTest, AFileWhoseLockIsHeldIsNotClosed) {
  const std::string name = name_of(kStem, 0);
  make(name, EndReason::kServiceEnded);
  {
    const consumer::UniqueFd writer(open(dir_.file(name).c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_TRUE(consumer::try_lock_byte(writer.get(), consumer::kTraceFileLockByte));
    EXPECT_EQ(closed({kStem}), Names{});
  }
  EXPECT_EQ(closed(), Names{name});
}

TEST_F(ClosedFilesTest, AnEndThatIsDamagedOrNotLastDoesNotCount) {
  const std::string name = name_of(kStem, 0);
  make(name, EndReason::kServiceEnded);
  const auto whole = std::filesystem::file_size(dir_.file(name));
  std::ofstream(dir_.file(name), std::ios::app) << "x";
  EXPECT_EQ(closed(), Names{});
  std::filesystem::resize_file(dir_.file(name), whole);
  EXPECT_EQ(closed(), Names{name});
  std::fstream file(dir_.file(name), std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-1, std::ios::end);
  const int last = file.get();
  file.seekp(-1, std::ios::end);
  file.put(static_cast<char>(last ^ 1));
  file.close();
  EXPECT_EQ(closed(), Names{});
}

TEST_F(ClosedFilesTest, APackedFileIsClosedAndOneThatIsBothIsAsTheUnpackedOne) {
  const std::string name = name_of(kStem, 0);
  std::ofstream(dir_.file(name + ".zst")) << "packed";
  auto files = find()["svc"];
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files[0].packed && !files[0].plain);
  EXPECT_EQ(files[0].bytes, 6U);
  make(name, {});
  EXPECT_EQ(closed(), Names{});
  make(name, EndReason::kServiceEnded);
  files = find()["svc"];
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files[0].packed && files[0].plain);
  EXPECT_EQ(files[0].bytes, 6 + std::filesystem::file_size(dir_.file(name)));
}

TEST_F(ClosedFilesTest, TheOldestByItsLastChangeComesFirstThenByName) {
  const Names names{name_of(kOtherStem, 0), name_of(kStem, 10), name_of(kStem, 9)};
  for (const std::string& name : names) make(name, EndReason::kServiceEnded);
  put_in_order(names);
  EXPECT_EQ(closed({kStem}), names);
  for (const std::string& name : names) put_in_order({name});
  EXPECT_EQ(closed({kStem}), (Names{names[2], names[1], names[0]}));
}

TEST_F(ClosedFilesTest, OtherServicesAndOtherFilesAreLeftAlone) {
  const std::string foreign = "foreign.1.20231114T221320-000000.0.ringtrace";
  make(foreign, EndReason::kServiceEnded);
  make("svc.1.x.0.ringtrace", EndReason::kServiceEnded);
  make(name_of(kStem, 0) + ".new", EndReason::kServiceEnded);
  std::filesystem::create_directory(dir_.file(name_of(kStem, 1)));
  std::filesystem::create_symlink(foreign, dir_.file(name_of(kStem, 2)));
  std::filesystem::create_symlink(foreign, dir_.file(name_of(kStem, 3) + ".zst"));
  EXPECT_TRUE(find({kStem}).empty());
}

}  // namespace
}  // namespace ringside::consumer_test
