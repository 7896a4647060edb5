// Where sessions may write.

#include "consumerd/sessions/session_output.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

class SessionOutput : public testing::Test {
 protected:
  std::string below(const std::string& name) {
    std::filesystem::create_directories(main_.path() + "/" + name);
    return main_.path() + "/" + name;
  }
  std::string refusal(const std::string& directory, bool fresh = true) {
    consumer::SessionSpec spec;
    spec.output_dir = directory;
    std::string why;
    return may_write_session(spec, {main_.path(), {other_.path()}}, fresh, &why) ? "" : why;
  }

  TemporaryDirectory main_;
  TemporaryDirectory other_;
  TemporaryDirectory outside_;
};

TEST_F(SessionOutput, IsBelowThePermittedDirectories) {
  EXPECT_EQ(refusal(below("a")), "");
  EXPECT_EQ(refusal(below("a/b")), "");
  EXPECT_EQ(refusal(other_.path()), "");
  EXPECT_NE(refusal(main_.path()), "");
  EXPECT_NE(refusal(outside_.path()).find("--session-dir " + outside_.path()), std::string::npos);
  // A name that only begins like a permitted one.
  EXPECT_NE(refusal(main_.path() + "x"), "");
  EXPECT_NE(refusal(below("missing") + "/none").find("create it first"), std::string::npos);
}

TEST_F(SessionOutput, IsNotReachedByDetours) {
  const std::string inside = below("a");
  EXPECT_NE(refusal(inside + "/../../" + outside_.path()), "");
  EXPECT_NE(refusal(inside + "/."), "");
  EXPECT_NE(refusal(inside + "/"), "");
  std::filesystem::create_directory_symlink(outside_.path(), main_.path() + "/link");
  EXPECT_NE(refusal(main_.path() + "/link").find("symbolic links"), std::string::npos);
}

TEST_F(SessionOutput, IsClosedToOtherUsers) {
  const std::string directory = below("open");
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  EXPECT_NE(refusal(directory).find("must not be writable by all users"), std::string::npos);
  ASSERT_EQ(chmod(directory.c_str(), 0755), 0);
  EXPECT_EQ(refusal(directory), "");
}

TEST_F(SessionOutput, HasNoTraceFilesAtTheStart) {
  const std::string directory = below("used");
  std::ofstream(directory + "/notes.txt") << "x";
  EXPECT_EQ(refusal(directory), "");
  std::ofstream(directory + "/desk.12.20260101T000000-000001.0.ringtrace") << "x";
  EXPECT_NE(refusal(directory).find("already contains trace files"), std::string::npos);
  EXPECT_EQ(refusal(directory, false), "") << "a session that continues has files";
}

}  // namespace
}  // namespace ringside::consumer_test
