#include <csignal>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "consumerd/descriptors/mapped_file.hpp"
#include "consumerd/discover/truncation_guard.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

constexpr std::uint64_t kBytes = 64U << 10;

class TruncationGuard : public testing::Test {
 protected:
  void SetUp() override {
    consumer::install_truncation_guard();
    fd_ = consumer::UniqueFd(open(dir_.file("f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(ftruncate(fd_.get(), kBytes), 0);
    ASSERT_TRUE(mapping_.map(fd_.get(), 0, kBytes));
  }
  void TearDown() override { std::signal(SIGBUS, SIG_DFL); }  // NOLINT(bugprone-signal-handler)

  TemporaryDirectory dir_;
  consumer::UniqueFd fd_;
  consumer::DoubleMapping mapping_;
};

TEST_F(TruncationGuard, ReadsZerosAndMarksTheMapping) {
  std::atomic<bool> hit{false};
  std::atomic<bool> other_hit{false};
  const consumer::GuardedRange guard(mapping_.data(), mapping_.mapped_bytes(), &hit);
  const int other = 0;
  const consumer::GuardedRange other_guard(&other, sizeof other, &other_hit);
  ASSERT_EQ(pwrite(fd_.get(), "x", 1, 5000), 1);
  EXPECT_EQ(mapping_.data()[5000], std::byte{'x'});
  EXPECT_FALSE(hit);
  ASSERT_EQ(ftruncate(fd_.get(), 0), 0);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < mapping_.mapped_bytes(); ++i) {
    sum += static_cast<std::uint64_t>(static_cast<const volatile std::byte*>(mapping_.data())[i]);
  }
  EXPECT_EQ(sum, 0U);
  EXPECT_TRUE(hit);
  EXPECT_FALSE(other_hit);
}

TEST_F(TruncationGuard, LeavesFaultsOutsideToTheDefault) {
  std::atomic<bool> hit{false};
  { const consumer::GuardedRange gone(mapping_.data(), mapping_.mapped_bytes(), &hit); }
  ASSERT_EQ(ftruncate(fd_.get(), 0), 0);
  const auto* const page = static_cast<const volatile std::byte*>(mapping_.data());
  EXPECT_EXIT(static_cast<void>(page[0]), testing::KilledBySignal(SIGBUS), "");
  EXPECT_FALSE(hit);
}

// With the real consumerd: one segment is cut to `size` while both are drained.
void cut_while_draining(std::uint64_t (*size)(const shm::SegmentLayout&)) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService healthy(shm.path(), "healthy", 1, 2);
  ScriptedService victim(shm.path(), "victim", 2, 4);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  healthy.publish(0, 1000);
  for (std::uint32_t ring = 0; ring < 4; ++ring) victim.publish(ring, 1000);
  const auto drained = [](ScriptedService& service) {
    return service.ring(0).consumer.consumer_pos.load() == 1000 * ScriptedService::kRecordBytes;
  };
  ASSERT_TRUE(comes_true([&] { return drained(healthy) && drained(victim); }));
  for (std::uint32_t ring = 0; ring < 4; ++ring) {
    victim.ring(ring).producer.producer_pos.fetch_add(std::uint64_t{16} * 3000);
  }
  ASSERT_EQ(ftruncate(victim.fd(), static_cast<off_t>(size(victim.layout()))), 0);
  victim.die();
  ASSERT_TRUE(comes_true([&] { return !consumerd.runs() || shm.names_with("victim").empty(); }))
      << "a cut segment is removed";
  ASSERT_TRUE(consumerd.runs()) << consumerd.error_output();
  EXPECT_EQ(healthy.publish(0, 500), 500U);
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "healthy"), 1, 1500));
  EXPECT_TRUE(read_traces(out.path(), "victim").faults.empty());
}

TEST(TruncatedSegment, CutToNothing) {
  cut_while_draining([](const shm::SegmentLayout&) { return std::uint64_t{0}; });
}

TEST(TruncatedSegment, CutInTheMiddleOfTheRings) {
  cut_while_draining([](const shm::SegmentLayout& layout) {
    return layout.rings_offset + layout.ring_bytes * 3 / 2;
  });
}

TEST(TruncatedSegment, CutAfterTheControlPage) {
  cut_while_draining([](const shm::SegmentLayout& layout) { return layout.metadata_offset; });
}

TEST(TruncatedSegment, BeforeItsAdoptionIsRemovedWhenItsServiceHasEnded) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService victim(shm.path(), "victim", 2, 4);
  victim.publish(0, 100);
  ASSERT_EQ(ftruncate(victim.fd(), static_cast<off_t>(victim.layout().rings_offset)), 0);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  ASSERT_TRUE(comes_true([&] { return !consumerd.error_output().empty(); }));
  EXPECT_FALSE(shm.names_with("victim").empty()) << "its service lives";
  victim.die();
  EXPECT_TRUE(comes_true([&] { return shm.names_with("victim").empty(); }))
      << consumerd.error_output();
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  EXPECT_NE(consumerd.error_output().find("was truncated before"), std::string::npos)
      << consumerd.error_output();
}

TEST(TruncatedSegment, OfALivingServiceIsRemovedAndReportedOnce) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService victim(shm.path(), "victim", 2, 4);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  victim.publish(0, 100);
  ASSERT_TRUE(comes_true([&] { return victim.ring(0).consumer.written_pos.load() == 1600; }));
  ASSERT_EQ(ftruncate(victim.fd(), 0), 0);
  ASSERT_TRUE(comes_true([&] {
    return consumerd.error_output().find("truncated by another process") != std::string::npos;
  }));
  ASSERT_TRUE(comes_true([&] { return shm.names_with("victim").empty(); }));
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  EXPECT_EQ(occurrences(consumerd.reported_problems(), "\n"), 1U) << consumerd.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "victim"), 1, 100));
}

}  // namespace
}  // namespace ringside::consumer_test
