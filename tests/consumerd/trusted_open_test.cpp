#include "consumerd/descriptors/trusted_open.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::AllowedUsers;
using consumer::judge;
using consumer::open_in;
using consumer::open_without_links;
using consumer::Trust;

// An emulator may not know the call. Then only the last part of a path is checked for links.
bool has_openat2() {
  return syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0) == 0 || errno != ENOSYS;
}

TEST(TrustedOpen, FollowsNoLinks) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.file("real"));
  std::ofstream(dir.file("real/f")) << "x";
  std::filesystem::create_symlink("real", dir.file("linked"));
  std::filesystem::create_symlink("real/f", dir.file("f"));
  const std::string base = std::filesystem::canonical(dir.path());
  EXPECT_TRUE(open_without_links(base + "/real/f", O_RDONLY));
  if (has_openat2()) {
    EXPECT_FALSE(open_without_links(base + "/linked/f", O_RDONLY));
    EXPECT_EQ(errno, ELOOP);
  }
  EXPECT_FALSE(open_without_links(base + "/f", O_RDWR | O_CREAT, 0640));
  EXPECT_EQ(errno, ELOOP);
}

TEST(TrustedOpen, StaysInItsDirectory) {
  const TemporaryDirectory dir;
  std::filesystem::create_directory(dir.file("sub"));
  std::ofstream(dir.file("outside")) << "x";
  std::ofstream(dir.file("sub/inside")) << "x";
  EXPECT_TRUE(open_in(dir.file("sub"), "inside", O_RDWR));
  EXPECT_FALSE(open_in(dir.file("sub"), "../outside", O_RDWR));
  EXPECT_FALSE(open_in(dir.file("sub"), dir.file("outside"), O_RDWR));
  // Another file system that is mounted there; its owner might never answer.
  EXPECT_FALSE(open_in("/", "proc", O_PATH));
  EXPECT_EQ(errno, EXDEV);
}

TEST(TrustedOpen, ReturnsAtOnceFromAFifo) {
  const TemporaryDirectory dir;
  ASSERT_EQ(mkfifo(dir.file("fifo").c_str(), 0600), 0);
  EXPECT_TRUE(open_in(dir.path(), "fifo", O_RDONLY));
}

class Judge : public testing::Test {
 protected:
  Judge() {
    info_.st_mode = S_IFREG | 0600;
    info_.st_uid = geteuid();
    info_.st_nlink = 1;
  }
  Trust verdict(const std::vector<uid_t>& allowed = {}) {
    why_.clear();
    return judge(info_, AllowedUsers(allowed), "/dev/shm/ringside.x", &why_);
  }
  bool says(const std::string& part) const { return why_.find(part) != std::string::npos; }

  struct stat info_ {};
  std::string why_;
};

TEST_F(Judge, TrustsRegularFilesOfItsOwnUser) {
  EXPECT_EQ(verdict(), Trust::kTrusted);
  info_.st_mode = S_IFREG | 0664;
  EXPECT_EQ(verdict(), Trust::kTrusted);
}

TEST_F(Judge, RefusesOtherUsersUnlessTheyAreAllowed) {
  info_.st_uid = geteuid() + 1000;
  EXPECT_EQ(verdict(), Trust::kRefused);
  EXPECT_TRUE(says("--allow-uid " + std::to_string(geteuid() + 1000))) << why_;
  EXPECT_EQ(verdict({geteuid() + 999}), Trust::kRefused);
  EXPECT_EQ(verdict({geteuid() + 1000}), Trust::kTrusted);
  // Permitting another user keeps the permission for its own.
  info_.st_uid = geteuid();
  EXPECT_EQ(verdict({geteuid() + 1000}), Trust::kTrusted);
}

TEST_F(Judge, TrustsFilesOfAnAllowedGroupOfAnyUser) {
  info_.st_uid = geteuid() + 1000;
  info_.st_gid = 77;
  const auto with_groups = [this](std::vector<gid_t> groups) {
    return judge(info_, AllowedUsers({}, std::move(groups)), "/dev/shm/ringside.x", &why_);
  };
  EXPECT_EQ(with_groups({}), Trust::kRefused);
  EXPECT_EQ(with_groups({76, 78}), Trust::kRefused);
  EXPECT_EQ(with_groups({76, 77}), Trust::kTrusted);
  info_.st_mode = S_IFREG | 0666;
  EXPECT_EQ(with_groups({77}), Trust::kNotNow);
}

TEST_F(Judge, AdvisesNoNumberForUsersThatAUserNamespaceDoesNotHave) {
  constexpr int kNoNamespace = 99;
  const pid_t child = fork();
  if (child == 0) {
    const std::string map = "0 " + std::to_string(geteuid()) + " 1";
    if (unshare(CLONE_NEWUSER) != 0) _exit(kNoNamespace);
    std::ofstream("/proc/self/uid_map") << map;
    info_.st_uid = 65534;
    const bool refused = verdict() == Trust::kRefused;
    _exit(refused && says("user namespace") && !says("--allow-uid") ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == kNoNamespace) GTEST_SKIP() << "no user namespace can be created here";
  EXPECT_EQ(status, 0);
}

TEST_F(Judge, RefusesWorldWritableFiles) {
  info_.st_mode = S_IFREG | 0602;
  EXPECT_EQ(verdict(), Trust::kNotNow);
  EXPECT_TRUE(says("writable by all users")) << why_;
}

TEST_F(Judge, RefusesFilesOfTwoNamesAndOfNone) {
  info_.st_nlink = 2;
  EXPECT_EQ(verdict(), Trust::kNotNow);
  EXPECT_TRUE(says("hard link")) << why_;
  info_.st_nlink = 0;
  EXPECT_EQ(verdict(), Trust::kGone);
}

TEST_F(Judge, RefusesWhatIsNotARegularFile) {
  for (const int type : {S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK, S_IFLNK}) {
    info_.st_mode = static_cast<mode_t>(type | 0600);
    EXPECT_EQ(verdict(), Trust::kRefused) << type;
  }
}

}  // namespace
}  // namespace ringside::consumer_test
