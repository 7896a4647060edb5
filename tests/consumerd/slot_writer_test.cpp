#include "consumerd/write/slot_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "faulty_block_io.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::kNoSlot;
using consumer::kStagingSlots;

class SlotWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    staging_ = consumer::StagingFile::create(dir_.path(), &why_);
    ASSERT_NE(staging_, nullptr) << why_;
  }

  // Fills a slot with bytes that identify file and offset, and notes the expected content of the
  // file.
  std::uint32_t fill(consumer::SlotWriter& writer, int fd, std::uint32_t bytes) {
    const std::uint32_t slot = writer.acquire(clients_[fd]);
    if (slot == kNoSlot) return slot;
    std::vector<std::byte>& expected = expected_[fd];
    shm::SlotHeader& header = staging_->header(slot);
    EXPECT_EQ(header.commit.load(), 0U) << "a slot was freed too early";
    header.file_offset = expected.size();
    for (std::uint32_t i = 0; i < bytes; ++i) {
      const auto value = static_cast<std::byte>(
          (expected.size() * 31 + expected.size() / 251 + static_cast<unsigned>(fd)) & 0xFF);
      staging_->data(slot)[i] = value;
      expected.push_back(value);
    }
    header.commit.store(shm::make_commit(bytes, 0));
    return slot;
  }

  bool arrived(const FaultyBlockIo& io, int fd, std::uint64_t offset, std::uint32_t bytes) {
    const auto file = io.files.find(fd);
    return file != io.files.end() && file->second.size() >= offset + bytes &&
           std::memcmp(file->second.data() + offset, expected_[fd].data() + offset, bytes) == 0;
  }

  TemporaryDirectory dir_;
  std::string why_;
  const consumer::Log log_;
  std::map<int, consumer::WriteClient> clients_;  // by file
  std::unique_ptr<consumer::StagingFile> staging_;
  std::map<int, std::vector<std::byte>> expected_;
};

TEST_F(SlotWriterTest, EveryByteArrivesWhateverTheDiskDoes) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    FaultyBlockIo io(seed);
    expected_.clear();
    io.refuse = 300;
    io.shorten = 300;
    io.fail = 200;
    // Transient errors only: the writer retries at once.
    io.errors = {EINTR, EAGAIN};
    consumer::SlotWriter writer(*staging_, io, log_);
    std::mt19937 random(seed);
    int outstanding = 0;
    for (int i = 0; i < 60; ++i) {
      const int fd = 100 + static_cast<int>(random() % 3);
      const auto bytes = static_cast<std::uint32_t>(1 + random() % 3000);
      std::uint32_t slot = fill(writer, fd, bytes);
      while (slot == kNoSlot) {
        writer.poll(true);
        slot = fill(writer, fd, bytes);
      }
      ++outstanding;
      const std::uint64_t offset = staging_->header(slot).file_offset;
      writer.write(slot, fd, [&, fd, offset, bytes](std::uint32_t done) {
        --outstanding;
        EXPECT_NE(staging_->header(done).commit.load(), 0U) << "freed before it was reported";
        EXPECT_TRUE(arrived(io, fd, offset, bytes)) << "reported before it was written";
      });
    }
    while (!writer.idle()) writer.poll(true);
    EXPECT_EQ(outstanding, 0);
    // A write of 0 bytes counts as a full disk until a write succeeds.
    for (auto& [fd, client] : clients_) EXPECT_FALSE(client.stalled());
    for (const auto& [fd, bytes] : expected_) EXPECT_EQ(io.files[fd], bytes) << "seed " << seed;
    for (const auto& [slot, times] : io.prepared) EXPECT_EQ(times, 1) << slot;
    if (seed == 1) staging_ = consumer::StagingFile::create(dir_.path(), &why_);
    staging_ = consumer::StagingFile::create(dir_.path(), &why_);
  }
}

TEST_F(SlotWriterTest, IsStalledFromTheErrorToTheNextSuccessAndKeepsTheSlot) {
  for (const int error : {ENOSPC, EIO}) {
    FaultyBlockIo io(7);
    expected_.clear();
    consumer::SlotWriter writer(*staging_, io, log_);
    io.errors = {error};
    io.fail = 1000;
    bool told = false;
    const std::uint32_t slot = fill(writer, 5, 1000);
    writer.write(slot, 5, [&](std::uint32_t) { told = true; });
    while (!clients_[5].stalled()) writer.poll(true);
    for (int i = 0; i < 20; ++i) {
      writer.poll(false);
      EXPECT_TRUE(clients_[5].stalled());
      EXPECT_FALSE(told);
      EXPECT_NE(staging_->header(slot).commit.load(), 0U);
      EXPECT_FALSE(writer.idle());
    }
    io.fail = 0;
    while (!writer.idle()) writer.poll(true);
    EXPECT_TRUE(told);
    EXPECT_FALSE(clients_[5].stalled());
    EXPECT_EQ(staging_->header(slot).commit.load(), 0U);
    EXPECT_EQ(io.files[5], expected_[5]);
  }
}

TEST_F(SlotWriterTest, OneFailingSlotKeepsItStalledWhileOthersAreWritten) {
  FaultyBlockIo io(7);
  consumer::SlotWriter writer(*staging_, io, log_);
  io.errors = {EIO};
  io.fail = 1000;
  const std::uint32_t bad = fill(writer, 5, 100);
  writer.write(bad, 5, {});
  while (!clients_[5].stalled()) writer.poll(true);
  io.fail = 0;
  bool good_written = false;
  const std::uint32_t good = fill(writer, 6, 100);
  writer.write(good, 6, [&](std::uint32_t) { good_written = true; });
  // Within the 100 ms before the next retry of the failing file, or together with it.
  while (!good_written) {
    writer.poll(true);
    if (good_written && staging_->header(bad).commit.load() != 0) {
      EXPECT_TRUE(clients_[5].stalled());
      EXPECT_FALSE(clients_[6].stalled());
    }
  }
  while (!writer.idle()) writer.poll(true);
  EXPECT_FALSE(clients_[5].stalled());
}

TEST_F(SlotWriterTest, HasNoSlotWhileEveryOneIsBeingWritten) {
  FaultyBlockIo io(3);
  io.hold = true;
  consumer::SlotWriter writer(*staging_, io, log_);
  consumer::WriteClient other;
  for (std::uint32_t i = 0; i < kStagingSlots; ++i) {
    const int fd = 9 + static_cast<int>(i);
    const std::uint32_t slot = fill(writer, fd, 10);
    ASSERT_NE(slot, kNoSlot);
    writer.write(slot, fd, {});
  }
  EXPECT_EQ(writer.acquire(other), kNoSlot);
  writer.poll(true);
  EXPECT_EQ(writer.acquire(other), kNoSlot);
  io.hold = false;
  while (!writer.idle()) writer.poll(true);
  const std::uint32_t slot = writer.acquire(other);
  EXPECT_EQ(slot, 0U);
  writer.discard(slot);
  EXPECT_EQ(io.files, expected_);
}

TEST_F(SlotWriterTest, KeepsSlotsForFilesThatHaveNoneWhateverOneFileHolds) {
  FaultyBlockIo io(3);
  io.errors = {EIO};
  io.fail = 1000;
  consumer::SlotWriter writer(*staging_, io, log_);
  std::uint32_t taken = 0;
  for (std::uint32_t slot = fill(writer, 5, 10); slot != kNoSlot; slot = fill(writer, 5, 10)) {
    writer.write(slot, 5, {});
    ++taken;
  }
  EXPECT_EQ(taken, kStagingSlots - consumer::kReservedSlots);
  for (int fd = 6; fd < 6 + static_cast<int>(consumer::kReservedSlots); ++fd) {
    EXPECT_NE(fill(writer, fd, 10), kNoSlot);
    EXPECT_EQ(fill(writer, fd, 10), kNoSlot) << "a second one of the reserve";
  }
}

TEST_F(SlotWriterTest, ATransientErrorThatLastsIsAFailure) {
  FaultyBlockIo io(3);
  io.errors = {EAGAIN};
  io.fail = 1000;
  consumer::SlotWriter writer(*staging_, io, log_);
  const std::uint32_t slot = fill(writer, 5, 10);
  writer.write(slot, 5, {});
  int polls = 0;
  while (!clients_[5].stalled()) {
    writer.poll(true);
    ASSERT_LT(++polls, 10'000);
  }
  io.fail = 0;
  while (!writer.idle()) writer.poll(true);
  EXPECT_FALSE(clients_[5].stalled());
  EXPECT_EQ(io.files, expected_);
}

TEST_F(SlotWriterTest, AFailingFileDoesNotAffectAnother) {
  FaultyBlockIo io(3);
  io.errors = {EIO};
  io.fail = 1000;
  consumer::SlotWriter writer(*staging_, io, log_);
  writer.write(fill(writer, 5, 10), 5, {});
  while (!clients_[5].stalled()) writer.poll(true);
  EXPECT_TRUE(writer.only_failing());
  writer.write(fill(writer, 6, 10), 6, {});
  EXPECT_FALSE(clients_[6].stalled());
  EXPECT_FALSE(writer.only_failing());
  io.fail = 0;
  while (!writer.idle()) writer.poll(true);
  EXPECT_EQ(writer.slots_written(), 2U);
}

TEST_F(SlotWriterTest, AWriteOfNoBytesIsAFailure) {
  FaultyBlockIo io(3);
  io.takes_nothing = true;
  consumer::SlotWriter writer(*staging_, io, log_);
  writer.write(fill(writer, 5, 10), 5, {});
  writer.poll(true);
  EXPECT_EQ(writer.failures(), 1U);
  EXPECT_TRUE(clients_[5].stalled());
  io.takes_nothing = false;
  while (!writer.idle()) writer.poll(true);
  EXPECT_EQ(writer.failures(), 1U);
  EXPECT_EQ(io.files, expected_);
}

TEST_F(SlotWriterTest, AWriteThatDoesNotEndIsAFailureUntilItEnds) {
  FaultyBlockIo io(3);
  io.hold = true;
  consumer::SlotWriter writer(*staging_, io, log_);
  const auto begin = std::chrono::steady_clock::now();
  writer.write(fill(writer, 5, 10), 5, {});
  while (!clients_[5].stalled()) {
    writer.poll(true);
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_TRUE(writer.only_failing());
  io.hold = false;
  while (!writer.idle()) writer.poll(true);
  EXPECT_FALSE(clients_[5].stalled());
}

TEST_F(SlotWriterTest, LogsTheEndOfFailuresOnceWhenTheLastSlotIsWritten) {
  const int messages = memfd_create("messages", MFD_CLOEXEC);
  ASSERT_GE(messages, 0);
  const consumer::Log log(false, consumer::LogFormat::kText, messages);
  FaultyBlockIo io(3);
  io.errors = {EIO};
  io.fail = 1000;
  consumer::SlotWriter writer(*staging_, io, log);
  for (const int fd : {5, 6, 7}) writer.write(fill(writer, fd, 10), fd, {});
  while (writer.failing() < 3) writer.poll(true);
  io.fail = 0;
  while (!writer.idle()) writer.poll(true);
  std::string text(4096, '\0');
  text.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, pread(messages, text.data(), 4096, 0))));
  close(messages);
  const std::size_t first = text.find("writing again");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("writing again", first + 1), std::string::npos) << text;
  EXPECT_EQ(text.find("cannot write"), text.rfind("cannot write")) << text;
}

TEST_F(SlotWriterTest, WaitingWithoutPendingWritesReturns) {
  FaultyBlockIo io(3);
  consumer::SlotWriter writer(*staging_, io, log_);
  writer.poll(true);
  EXPECT_TRUE(writer.idle());
}

}  // namespace
}  // namespace ringside::consumer_test
