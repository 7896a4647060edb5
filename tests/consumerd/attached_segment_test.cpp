#include "consumerd/discover/attached_segment.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "consumerd/discover/segment_directory.hpp"
#include "consumerd/sandbox/sanitizer_build.hpp"
#include "scripted_service.hpp"
#include "shm-layout/segment_name.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::AttachedSegment;
using consumer::AttachError;
using consumer::AttachFailure;

class AttachTest : public testing::Test {
 protected:
  std::unique_ptr<AttachedSegment> attach(const std::string& name) {
    return AttachedSegment::attach(shm_.path(), name, &failure_);
  }
  void expect_refused(const std::string& name, const std::string& part) {
    EXPECT_EQ(attach(name), nullptr);
    EXPECT_EQ(failure_.error, AttachError::kRefused) << failure_.why;
    EXPECT_NE(failure_.why.find(part), std::string::npos) << failure_.why;
    EXPECT_NE(failure_.why.find(name), std::string::npos) << failure_.why;
  }

  TemporaryDirectory shm_;
  ScriptedService service_{shm_.path(), "svc", 1, 4};
  AttachFailure failure_;
};

TEST_F(AttachTest, MapsAValidSegment) {
  const auto segment = attach(service_.name());
  ASSERT_NE(segment, nullptr) << failure_.why;
  EXPECT_EQ(segment->rings_used(), 4U);
  EXPECT_TRUE(segment->service_alive());
  service_.control().service.rings_used.store(UINT32_MAX);
  EXPECT_EQ(segment->rings_used(), 4U);
  service_.die();
  EXPECT_FALSE(segment->service_alive());
}

TEST_F(AttachTest, IsNotReadyBeforeItsVersionIsStored) {
  service_.header().version.store(0);
  EXPECT_EQ(attach(service_.name()), nullptr);
  EXPECT_EQ(failure_.error, AttachError::kNotReady);
  std::ofstream(shm_.file(segment_name("empty", 2)));
  EXPECT_EQ(attach(segment_name("empty", 2)), nullptr);
  EXPECT_EQ(failure_.error, AttachError::kNotReady);
}

TEST_F(AttachTest, NamesBothVersionsWhenTheyDoNotMatch) {
  service_.header().version.store(9U << 16 | 4U);
  expect_refused(service_.name(), "9.4");
  EXPECT_NE(
      failure_.why.find(std::to_string(shm::kAbiMajor) + "." + std::to_string(shm::kAbiMinor)),
      std::string::npos);
}

TEST_F(AttachTest, AcceptsAnotherMinorVersion) {
  service_.header().version.store(shm::kAbiMajor << 16 | 0xFFFFU);
  EXPECT_NE(attach(service_.name()), nullptr) << failure_.why;
}

TEST_F(AttachTest, RefusesForeignMagicAndByteOrder) {
  service_.header().magic ^= 1;
  expect_refused(service_.name(), "not a Ringside segment");
  service_.header().magic ^= 1;
  service_.header().byte_order_mark = 0x04030201;
  expect_refused(service_.name(), "not a Ringside segment");
}

TEST_F(AttachTest, RefusesLayoutsThatPointOutsideOfTheFile) {
  const shm::Region sound[] = {service_.header().regions[0], service_.header().regions[1],
                               service_.header().regions[3], service_.header().regions[4]};
  const std::size_t slots[] = {0, 1, 3, 4};
  for (std::size_t i = 0; i < 4; ++i) {
    shm::Region& region = service_.header().regions[slots[i]];
    region.offset = service_.layout().segment_bytes;
    expect_refused(service_.name(), "layout");
    region.offset = ~std::uint64_t{4095};
    expect_refused(service_.name(), "layout");
    region = sound[i];
    region.offset += 1;
    expect_refused(service_.name(), "layout");
    region = sound[i];
    region.bytes = UINT64_MAX;
    expect_refused(service_.name(), "layout");
    region = sound[i];
  }
  service_.header().ring_count = UINT32_MAX;
  expect_refused(service_.name(), "layout");
  service_.header().ring_count = 4;
  service_.header().ring_bytes = 12345;
  expect_refused(service_.name(), "layout");
}

TEST_F(AttachTest, MapsRegionsAfterTheRings) {
  // Valid by the rules, if unusual: every region is inside the segment, only in another order.
  const std::uint64_t end = service_.layout().segment_bytes;
  ASSERT_EQ(ftruncate(service_.fd(), static_cast<off_t>(end + shm::kPageBytes)), 0);
  service_.header().segment_bytes = end + shm::kPageBytes;
  service_.header().regions[0].offset = end;
  const auto segment = attach(service_.name());
  ASSERT_NE(segment, nullptr) << failure_.why;
  segment->control().consumer.heartbeat.store(5);
  EXPECT_EQ(segment->rings_used(), 0U);
}

TEST_F(AttachTest, RefusesRingMetadataOfAnotherSize) {
  service_.header().regions[1].stride = 128;
  expect_refused(service_.name(), "metadata");
}

TEST_F(AttachTest, RefusesAFileShorterThanItsHeaderStates) {
  ASSERT_EQ(
      truncate(service_.path().c_str(), static_cast<off_t>(service_.layout().segment_bytes - 1)),
      0);
  expect_refused(service_.name(), "layout");
}

TEST_F(AttachTest, RefusesWhatIsNotARegularFile) {
  const std::string link = segment_name("link", 2);
  std::filesystem::create_symlink(service_.path(), shm_.file(link));
  expect_refused(link, "not a regular file");
  const std::string dir = segment_name("dir", 3);
  std::filesystem::create_directory(shm_.file(dir));
  expect_refused(dir, "not a regular file");
  const std::string fifo = segment_name("fifo", 4);
  ASSERT_EQ(mkfifo(shm_.file(fifo).c_str(), 0600), 0);
  expect_refused(fifo, "not a regular file");
  EXPECT_EQ(AttachedSegment::attach("/dev", "null", &failure_), nullptr);
  EXPECT_EQ(failure_.error, AttachError::kRefused);
  EXPECT_NE(failure_.why.find("not a regular file"), std::string::npos);
}

// The process has room for only some of the rings.
TEST_F(AttachTest, MapsRingsAnewWhenMappingsRunOut) {
  if (consumer::kSanitizerBuild) GTEST_SKIP() << "a sanitizer needs all of the address space";
  constexpr std::uint32_t kRings = 512;
  ScriptedService greedy(shm_.path(), "greedy", 7, kRings);
  const pid_t child = fork();
  if (child == 0) {
    const auto modest = attach(service_.name());
    const auto many = attach(greedy.name());
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * 4096 + (std::uint64_t{16} << 20);
    const rlimit limit{bytes, bytes};
    if (modest == nullptr || many == nullptr || setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      if (many->ring_bytes(ring) == nullptr) _exit(2);
    }
    const std::byte* const bytes_of_other = modest->ring_bytes(0);
    _exit(bytes_of_other != nullptr && bytes_of_other[0] == std::byte{0} ? 0 : 3);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(AttachTest, ReportsNothingAboutASegmentThatVanished) {
  EXPECT_EQ(attach(segment_name("gone", 5)), nullptr);
  EXPECT_EQ(failure_.error, AttachError::kGone);
}

TEST_F(AttachTest, RefusesTheSecondWithTheFirstOnesPid) {
  const auto first = attach(service_.name());
  ASSERT_NE(first, nullptr);
  first->control().consumer.pid.store(4711);
  EXPECT_EQ(attach(service_.name()), nullptr);
  EXPECT_EQ(failure_.error, AttachError::kOwned);
  EXPECT_EQ(failure_.owner_pid, 4711U);
  EXPECT_NE(failure_.why.find("4711"), std::string::npos);
}

TEST_F(AttachTest, UnlinksOnlyTheFileThatItMapped) {
  const auto segment = attach(service_.name());
  ASSERT_NE(segment, nullptr);
  std::filesystem::remove(service_.path());
  std::ofstream(service_.path()) << "another";
  segment->unlink_file();
  EXPECT_TRUE(std::filesystem::exists(service_.path()));
}

TEST(SegmentDirectory, SeesSegmentsAndNothingElse) {
  const TemporaryDirectory dir;
  const std::string early = segment_name("early", 1);
  std::ofstream(dir.file(early));
  for (const char* const name :
       {"ringside.svc.1.0123", "ringside.svc.x.0123456789abcdef", "ringside..1.0123456789abcdef",
        "ringside-staging.0123456789abcdef0123456789abcdef", "sem.ringside", "ringside.a/b",
        "ringside.svc.1.0123456789abcdeg", "ringside.s vc.1.0123456789abcdef"}) {
    std::ofstream(dir.file(name));
  }
  consumer::SegmentDirectory directory(dir.path());
  std::string why;
  ASSERT_TRUE(directory.open(&why)) << why;
  EXPECT_EQ(directory.appeared(), std::vector<std::string>{early});
  const std::string late = segment_name("late", 2);
  std::ofstream(dir.file(late));
  std::ofstream(dir.file("ringside.late"));
  EXPECT_EQ(directory.appeared(), std::vector<std::string>{late});
  EXPECT_TRUE(directory.appeared().empty());
}

TEST(SegmentDirectory, NamesTheRemedyForAMissingDirectory) {
  consumer::SegmentDirectory directory("/nonexistent");
  std::string why;
  EXPECT_FALSE(directory.open(&why));
  EXPECT_NE(why.find("--shm-dir"), std::string::npos);
}

}  // namespace
}  // namespace ringside::consumer_test
