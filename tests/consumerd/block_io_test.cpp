#include "consumerd/write/block_io.hpp"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "consumerd/descriptors/unique_fd.hpp"
#include "consumerd/write/staging_file.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

constexpr std::uint32_t kSlots = 4;
constexpr std::size_t kSlotBytes = consumer::kStagingSlotBytes;

// Writes the pieces through the backend, several at a time, and returns the file's content.
std::string written_by(consumer::BlockIo& io, const std::vector<std::uint32_t>& sizes,
                       const std::string& path) {
  std::vector<std::byte> memory(kSlots * kSlotBytes);
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    io.prepare_slot(slot, memory.data() + slot * kSlotBytes, kSlotBytes);
  }
  std::mt19937 random(42);
  for (std::byte& b : memory) b = static_cast<std::byte>(random());
  const consumer::UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  std::uint64_t offset = 0;
  std::array<consumer::WriteCompletion, kSlots> completions;
  for (std::size_t i = 0; i < sizes.size(); i += kSlots) {
    std::array<consumer::WriteRequest, kSlots> requests{};
    std::size_t open_writes = 0;
    for (std::uint32_t slot = 0; slot < kSlots && i + slot < sizes.size(); ++slot) {
      requests[slot] = {fd.get(), slot, memory.data() + slot * kSlotBytes, sizes[i + slot], offset};
      offset += sizes[i + slot];
      EXPECT_TRUE(io.submit(requests[slot]));
      ++open_writes;
    }
    while (open_writes > 0) {
      const std::size_t count = io.reap(completions, true);
      for (std::size_t c = 0; c < count; ++c) {
        EXPECT_EQ(completions[c].result,
                  static_cast<std::int32_t>(requests[completions[c].slot].bytes));
        --open_writes;
      }
    }
  }
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const std::vector<std::uint32_t> kSizes = {1,    7,         4096, 4097, 65536 + 3, kSlotBytes,
                                           9999, 2'000'001, 3,    5,    kSlotBytes};

TEST(BlockIo, BothBackendsWriteTheSameFile) {
  const TemporaryDirectory dir;
  std::string why;
  const auto pwrite_io = consumer::make_pwrite_io();
  const std::string plain = written_by(*pwrite_io, kSizes, dir.file("plain"));
  std::size_t total = 0;
  for (const std::uint32_t size : kSizes) total += size;
  EXPECT_EQ(plain.size(), total);
  const auto uring_io = consumer::make_uring_io(kSlots, &why);
  if (uring_io == nullptr) GTEST_SKIP() << "no io_uring on this machine: " << why;
  EXPECT_TRUE(written_by(*uring_io, kSizes, dir.file("uring")) == plain);
}

TEST(BlockIo, ReportsTheErrorOfAWrite) {
  std::string why;
  std::vector<std::unique_ptr<consumer::BlockIo>> backends;
  backends.push_back(consumer::make_pwrite_io());
  if (auto uring = consumer::make_uring_io(kSlots, &why)) backends.push_back(std::move(uring));
  const consumer::UniqueFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  std::vector<std::byte> memory(100);
  for (const auto& io : backends) {
    io->prepare_slot(0, memory.data(), memory.size());
    ASSERT_TRUE(io->submit({full.get(), 0, memory.data(), 100, 0}));
    std::array<consumer::WriteCompletion, kSlots> completions;
    // Each wait ends soon, with or without a completion.
    std::size_t count = 0;
    while (count == 0) count = io->reap(completions, true);
    ASSERT_EQ(count, 1U) << io->name();
    EXPECT_EQ(completions[0].result, -ENOSPC) << io->name();
    EXPECT_EQ(io->reap(completions, true), 0U) << "waits for nothing";
  }
}

class ForbiddenUring : public testing::Test {
 protected:
  TemporaryDirectory shm_;
  TemporaryDirectory out_;
};

TEST_F(ForbiddenUring, AutoFallsBackToPwriteAndReportsItOnce) {
  ScriptedService service(shm_.path(), "svc", 1, 2);
  service.publish(0, 1000);
  ConsumerdProcess consumerd({"--output", out_.path(), "--shm-dir", shm_.path(), "-v"},
                             SECCOMP_LAUNCHER_PATH);
  ASSERT_TRUE(comes_true([&] {
    return service.ring(0).consumer.written_pos.load() == 1000 * ScriptedService::kRecordBytes;
  })) << consumerd.error_output();
  EXPECT_EQ(consumerd.terminate(), 0);
  const std::string said = consumerd.error_output();
  EXPECT_EQ(occurrences(said, "io_uring is not available"), 1U) << said;
  EXPECT_EQ(occurrences(said, "writing with pwrite instead"), 1U) << said;
  EXPECT_TRUE(counts_up_to(read_traces(out_.path(), "svc"), 1, 1000));
}

TEST_F(ForbiddenUring, ExplicitUringRefusesWithTheRemedy) {
  ConsumerdProcess consumerd({"--output", out_.path(), "--shm-dir", shm_.path(), "--io", "uring"},
                             SECCOMP_LAUNCHER_PATH);
  EXPECT_EQ(consumerd.wait(), 1);
  const std::string said = consumerd.error_output();
  EXPECT_NE(said.find("seccomp"), std::string::npos) << said;
  EXPECT_NE(said.find("--io pwrite"), std::string::npos) << said;
  EXPECT_TRUE(shm_.names_with("ringside-staging.").empty());
}

}  // namespace
}  // namespace ringside::consumer_test
