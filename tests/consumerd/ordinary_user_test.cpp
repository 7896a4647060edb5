// A consumerd without privileges: which services it drains, and what it reports about the others.
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

TEST(OrdinaryUser, GetsNoMessageAboutCapabilitiesThatItNeverHad) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ASSERT_EQ(chown(out.path().c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(shm.path().c_str(), 0755), 0);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()}, ORDINARY_LAUNCHER_PATH);
  EXPECT_EQ(consumerd.wait(), 1);
  const std::string said = consumerd.error_output();
  EXPECT_NE(said.find("for user 65534; make the directory writable for that user"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("--sandbox off"), std::string::npos) << said;
}

TEST(OrdinaryUser, ServesItsOwnSegmentsAndNoOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService own(shm.path(), "own", 1, 1);
  ScriptedService other(shm.path(), "other", 2, 1);
  constexpr unsigned kNobody = 65534;
  for (const std::string& path : {shm.path(), out.path()}) {
    ASSERT_EQ(chown(path.c_str(), kNobody, kNobody), 0);
  }
  ASSERT_EQ(fchown(own.fd(), kNobody, kNobody), 0);
  ASSERT_EQ(fchmod(other.fd(), 0664), 0);
  ASSERT_EQ(fchown(other.fd(), 0, kNobody), 0);
  own.publish(0, 100);
  other.publish(0, 100);
  {
    ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path(), "--once"},
                               ORDINARY_LAUNCHER_PATH);
    EXPECT_EQ(consumerd.wait(), 0) << consumerd.error_output();
    EXPECT_NE(consumerd.error_output().find("--allow-uid 0"), std::string::npos)
        << consumerd.error_output();
  }
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "own"), 1, 100));
  EXPECT_EQ(other.ring(0).consumer.consumer_pos.load(), 0U);
  ConsumerdProcess told({"-o", out.path(), "--shm-dir", shm.path(), "--once", "--allow-uid", "0"},
                        ORDINARY_LAUNCHER_PATH);
  EXPECT_EQ(told.wait(), 0) << told.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "other"), 1, 100));
}

}  // namespace
}  // namespace ringside::consumer_test
