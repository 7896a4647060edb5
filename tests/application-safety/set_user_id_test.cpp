// A program with more privileges than the user who starts it ignores the environment variables.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "tests/agent/process_test.hpp"

namespace ringside::test {
namespace {

constexpr uid_t kNobody = 65534;

// A directory that every user can search; it is removed with this object.
class OpenDirectory {
 public:
  explicit OpenDirectory(const std::string& parent) : path_(parent + "/ringside-test.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr || chmod(path_.c_str(), 0755) != 0) path_.clear();
  }
  ~OpenDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The output of the program when the unprivileged user 65534 starts it with these variables.
std::string output_as_user_nobody(const std::string& program,
                                  const std::vector<std::string>& variables) {
  int said[2];
  if (pipe(said) != 0) return "no pipe";
  std::vector<char*> environment;
  for (const std::string& variable : variables) {
    environment.push_back(const_cast<char*>(variable.c_str()));
  }
  environment.push_back(nullptr);
  char name[] = "chosen-by-its-caller";
  char* const argv[] = {name, nullptr};
  const pid_t child = fork();
  if (child == 0) {
    dup2(said[1], STDOUT_FILENO);
    if (setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
        setresuid(kNobody, kNobody, kNobody) == 0) {
      execve(program.c_str(), argv, environment.data());
    }
    _exit(126);
  }
  close(said[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(said[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(said[0]);
  const int status = wait_for(child);
  return status == 0 ? text : "wait status " + std::to_string(status) + ": " + text;
}

TEST(SetUserId, AProgramObeysNoVariableOfItsCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can create a set-user-id program of root";
  const OpenDirectory programs(std::filesystem::temp_directory_path());
  const OpenDirectory chosen("/dev/shm");
  ASSERT_FALSE(programs.path().empty() || chosen.path().empty()) << std::strerror(errno);
  struct statvfs mount {};
  ASSERT_EQ(statvfs(programs.path().c_str(), &mount), 0);
  if ((mount.f_flag & ST_NOSUID) != 0) {
    GTEST_SKIP() << programs.path() << " is on a file system without set-user-id programs";
  }
  ASSERT_EQ(chmod(chosen.path().c_str(), 0777), 0);
  const std::string program = programs.path() + "/set-user-id-service";
  std::filesystem::copy_file(getenv("RINGSIDE_TEST_SET_USER_ID_SERVICE"),  // NOLINT
                             program);
  ASSERT_EQ(chmod(program.c_str(), 0755), 0);
  const std::string plain = output_as_user_nobody(
      program, {"RINGSIDE_SHM_DIR=" + chosen.path(), "RINGSIDE_SERVICE=chosen"});
  // Without the set-user-id bit it obeys the variables: the difference below is due to the bit.
  EXPECT_TRUE(plain.starts_with("65534 live " + chosen.path() + "/ringside.chosen.")) << plain;

  ASSERT_EQ(chown(program.c_str(), 0, 0), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const std::vector<std::vector<std::string>> environments = {
      {"RINGSIDE_SHM_DIR=" + chosen.path(), "RINGSIDE_SERVICE=chosen", "RINGSIDE_MODE=0666",
       "RINGSIDE_GROUP=65534", "RINGSIDE_RING_BYTES=1G"},
      {"RINGSIDE_SERVICE=chosen"},
      {"RINGSIDE_DISABLE=1"},
      {"RINGSIDE_LEVEL=loud", "RINGSIDE_OVERFLOW=never"},
  };
  for (const std::vector<std::string>& variables : environments) {
    const std::string text = output_as_user_nobody(program, variables);
    EXPECT_TRUE(text.starts_with("0 live /dev/shm/ringside.set-user-id-service.")) << text;
    EXPECT_TRUE(std::filesystem::is_empty(chosen.path()));
  }
}

}  // namespace
}  // namespace ringside::test
