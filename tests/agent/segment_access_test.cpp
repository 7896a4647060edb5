// Which users can open the segment, by its mode and group.

#include <cstdlib>
#include <filesystem>
#include <grp.h>
#include <string>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"

namespace ringside::test {
namespace {

void set(const char* name, const char* value) {
  setenv(name, value, 1);
}

mode_t mode_of_segment() {
  struct stat info {};
  EXPECT_EQ(stat(status().segment_path.c_str(), &info), 0);
  return info.st_mode & 07777U;
}

gid_t group_of_segment() {
  struct stat info {};
  EXPECT_EQ(stat(status().segment_path.c_str(), &info), 0);
  return info.st_gid;
}

PROCESS_TEST(SegmentAccess, TheModeAppliesWhateverTheUmask) {
  for (const auto& [text, mode] : {std::pair<const char*, mode_t>{"0600", 0600},
                                   {"0640", 0640},
                                   {"660", 0660},
                                   {"0664", 0664}}) {
    EXPECT_EQ(run_child([text = text, mode = mode] {
                set("RINGSIDE_MODE", text);
                const StderrCapture capture;
                umask(0177);
                Options options;
                options.mode = 0644;
                ASSERT_EQ(init(options).state, State::live);
                EXPECT_EQ(mode_of_segment(), mode);
                EXPECT_EQ(capture.lines().size(), 0U);
              }),
              0)
        << text;
  }
}

PROCESS_TEST(SegmentAccess, TheGroupByNameAndByNumber) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can certainly give files to any group";
  const group* const other = getgrnam("nogroup");  // NOLINT(concurrency-mt-unsafe)
  ASSERT_NE(other, nullptr);
  for (const std::string& text : {std::string("nogroup"), std::to_string(other->gr_gid)}) {
    EXPECT_EQ(run_child([&] {
                set("RINGSIDE_MODE", "0660");
                set("RINGSIDE_GROUP", text.c_str());
                const StderrCapture capture;
                ASSERT_EQ(init().state, State::live);
                EXPECT_EQ(mode_of_segment(), 0660U);
                EXPECT_EQ(group_of_segment(), other->gr_gid);
                EXPECT_EQ(capture.lines().size(), 0U);
                // The child's own segment too, wherever the group file is by then.
                EXPECT_EQ(run_child([&] {
                            RS_INFO("in a child");
                            EXPECT_EQ(group_of_segment(), other->gr_gid);
                          }),
                          0);
              }),
              0)
        << text;
  }
}

// If the group cannot be set, there is no segment, rather than one that unintended users can write
// to.
PROCESS_TEST(SegmentAccess, WithoutItsGroupThereIsNoSegment) {
  for (const char* const text : {"no-such-group", "4294967295", "-1", "nogroup:", "nogrou"}) {
    EXPECT_EQ(run_child([text] {
                set("RINGSIDE_MODE", "0660");
                set("RINGSIDE_GROUP", text);
                const StderrCapture capture;
                EXPECT_EQ(init().state, State::failed);
                EXPECT_NE(status().message.find("RINGSIDE_GROUP"), std::string::npos)
                    << status().message;
                EXPECT_EQ(capture.lines().size(), 1U);
                EXPECT_TRUE(std::filesystem::is_empty(shm_dir()));
              }),
              0)
        << text;
  }
}

PROCESS_TEST(SegmentAccess, AGroupOfOthersIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  constexpr uid_t kUser = 64001;
  ASSERT_EQ(chmod(shm_dir().c_str(), 0777), 0);
  ASSERT_EQ(setgroups(0, nullptr), 0);
  ASSERT_EQ(setresgid(kUser, kUser, kUser), 0);
  ASSERT_EQ(setresuid(kUser, kUser, kUser), 0);
  set("RINGSIDE_MODE", "0660");
  set("RINGSIDE_GROUP", "64002");
  const StderrCapture capture;
  EXPECT_EQ(init().state, State::failed);
  EXPECT_NE(status().message.find("must be a member of RINGSIDE_GROUP"), std::string::npos)
      << status().message;
  EXPECT_TRUE(std::filesystem::is_empty(shm_dir()));
}

PROCESS_TEST(SegmentAccess, AGroupWithoutPermissionIsReported) {
  set("RINGSIDE_GROUP", std::to_string(getegid()).c_str());
  const StderrCapture capture;
  ASSERT_EQ(init().state, State::live);
  EXPECT_EQ(mode_of_segment(), 0600U);
  ASSERT_EQ(capture.lines().size(), 1U);
  EXPECT_NE(capture.lines()[0].find("RINGSIDE_MODE=0660"), std::string::npos);
}

}  // namespace
}  // namespace ringside::test
