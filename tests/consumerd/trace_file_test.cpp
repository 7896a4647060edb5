#include "consumerd/write/trace_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "faulty_block_io.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::TraceFile;

class TraceFileTest : public testing::Test {
 protected:
  void SetUp() override {
    staging_ = consumer::StagingFile::create(shm_.path(), &why_);
    ASSERT_NE(staging_, nullptr) << why_;
    service_.header().start_realtime_ns = 1'700'000'000'123'456'000U;
  }

  std::unique_ptr<TraceFile> open_file(consumer::SlotWriter& writer,
                                       const consumer::FilesBefore& before = {}) {
    return TraceFile::open(
        out_.path(), service_.name(), service_.header(), writer, *staging_,
        [this](const shm::JournalEntry& entry) { told_.push_back(entry.consumer_pos); }, &why_,
        before);
  }

  void append(TraceFile& file, consumer::SlotWriter& writer, std::uint32_t bytes) {
    std::span<std::byte> out = file.space(bytes);
    while (out.empty()) {
      writer.poll(true);
      out = file.space(bytes);
    }
    for (std::uint32_t i = 0; i < bytes; ++i) {
      out[i] = static_cast<std::byte>(expected_.size() * 7 % 253);
      expected_.push_back(out[i]);
    }
    shm::JournalEntry entry{};
    entry.consumer_pos = expected_.size();
    file.commit(bytes, entry);
  }

  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  std::string why_;
  const consumer::Log log_;
  ScriptedService service_{shm_.path(), "svc", 77, 1};
  std::unique_ptr<consumer::StagingFile> staging_;
  std::vector<std::byte> expected_;
  std::vector<std::uint64_t> told_;
};

TEST_F(TraceFileTest, ReportsWrittenBytesInTheOrderOfTheFile) {
  FaultyBlockIo io(11);
  io.last_first = true;
  io.shorten = 200;
  io.refuse = 200;
  consumer::SlotWriter writer(*staging_, io, log_);
  const auto file = open_file(writer);
  ASSERT_NE(file, nullptr) << why_;
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    append(*file, writer, static_cast<std::uint32_t>(1 + random() % 5000));
    if (random() % 3 == 0) file->seal();
    if (random() % 5 == 0) writer.poll(false);
    const std::uint64_t seen = told_.empty() ? 0 : told_.back();
    const auto& bytes = io.files.empty() ? expected_ : io.files.begin()->second;
    ASSERT_LE(seen, bytes.size());
    ASSERT_EQ(std::memcmp(bytes.data(), expected_.data(), seen), 0);
  }
  file->seal();
  while (!writer.idle()) writer.poll(true);
  EXPECT_EQ(file->written(), file->sealed());
  EXPECT_EQ(io.files.begin()->second, expected_);
  EXPECT_EQ(told_.size(), 200U);
  EXPECT_TRUE(std::is_sorted(told_.begin(), told_.end()));
}

TEST_F(TraceFileTest, SealsWhenTheJournalIsFull) {
  FaultyBlockIo io(1);
  consumer::SlotWriter writer(*staging_, io, log_);
  const auto file = open_file(writer);
  for (std::uint32_t i = 0; i <= shm::kJournalEntries; ++i) append(*file, writer, 8);
  EXPECT_EQ(file->sealed(), 1U);
  file->seal();
  while (!writer.idle()) writer.poll(true);
  EXPECT_EQ(told_.size(), shm::kJournalEntries + 1);
  EXPECT_EQ(io.files.begin()->second, expected_);
}

TEST_F(TraceFileTest, EndsAFileOnlyWhenAllItsBytesAreWritten) {
  FaultyBlockIo io(1);
  io.hold = true;
  consumer::SlotWriter writer(*staging_, io, log_);
  const auto file = open_file(writer);
  append(*file, writer, 100);
  file->finish({});
  EXPECT_TRUE(file->advance());
  EXPECT_EQ(file->sealed(), 1U) << "the end would be in the file before the bytes";
  io.hold = false;
  while (!writer.idle()) writer.poll(true);
  EXPECT_TRUE(file->advance());
  EXPECT_EQ(file->sealed(), 2U);
  EXPECT_FALSE(file->all_written());
  while (!writer.idle()) writer.poll(true);
  EXPECT_TRUE(file->advance());
  EXPECT_TRUE(file->all_written());
}

TEST_F(TraceFileTest, GivesAnEmptySlotBackWhenSealed) {
  FaultyBlockIo io(1);
  consumer::SlotWriter writer(*staging_, io, log_);
  const auto file = open_file(writer);
  ASSERT_FALSE(file->space(100).empty());
  file->seal();
  EXPECT_EQ(file->sealed(), 0U);
  for (std::uint32_t i = 0; i < consumer::kStagingSlots; ++i) {
    consumer::WriteClient other;
    EXPECT_EQ(writer.acquire(other), i);
  }
}

TEST_F(TraceFileTest, AppendsOnlyToTheFileOfItsOwnSegment) {
  FaultyBlockIo io(1);
  consumer::SlotWriter writer(*staging_, io, log_);
  const std::string first = open_file(writer)->path();
  EXPECT_NE(first.find("/svc.77.20231114T221320-123456.0.ringtrace"), std::string::npos) << first;
  struct stat info {};
  ASSERT_EQ(stat(first.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U & ~0640U, 0U);
  std::ofstream(first) << "a foreign file";
  EXPECT_NE(open_file(writer)->path().find(".1.ringtrace"), std::string::npos);
}

TEST_F(TraceFileTest, BeginsANewFileIfANewerOneIsInAnotherDirectory) {
  FaultyBlockIo io(1);
  consumer::SlotWriter writer(*staging_, io, log_);
  EXPECT_EQ(open_file(writer)->sequence(), 0U);
  consumer::FilesBefore before;
  before.next_sequence = 1;
  EXPECT_EQ(open_file(writer, before)->sequence(), 0U);
  before.next_sequence = 5;
  EXPECT_EQ(open_file(writer, before)->sequence(), 5U);
  before.next_sequence = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(open_file(writer, before)->sequence(), 5U) << "a damaged number";
}

// Writes and syncs, and lists the synced files.
class ListedSyncs final : public consumer::BlockIo {
 public:
  void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) override {
    io_->prepare_slot(slot, data, bytes);
  }
  bool submit(const consumer::WriteRequest& request) override {
    if (request.operation != consumer::DiskOperation::kWrite) {
      synced.insert(
          std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(request.fd)).filename());
    }
    return io_->submit(request);
  }
  std::size_t reap(std::span<consumer::WriteCompletion> out, bool wait) override {
    return io_->reap(out, wait);
  }
  const char* name() const override { return "listed"; }

  std::set<std::string> synced;

 private:
  std::unique_ptr<consumer::BlockIo> io_ = consumer::make_pwrite_io();
};

TEST_F(TraceFileTest, SyncsTheFilesThatExistWhateverNumberItsSegmentStates) {
  ListedSyncs io;
  consumer::WriterRole role;
  role.sync = {consumer::SyncWhen::kInterval, std::chrono::milliseconds(1000)};
  consumer::SlotWriter writer(*staging_, io, log_, role);
  const std::string stem = "svc.77.20231114T221320-123456.";
  for (const char* const name : {"3.ringtrace", "7.ringtrace", "7.ringtrace.zst", "8.ringtrace.zst",
                                 "499999990.ringtrace", "03.ringtrace"}) {
    std::ofstream(out_.file(stem + name)) << "of an earlier consumer";
  }
  consumer::FilesBefore before;
  before.next_sequence = 499'999'999;  // a stray write
  const auto file = open_file(writer, before);
  ASSERT_NE(file, nullptr) << why_;
  EXPECT_EQ(file->sequence(), 499'999'999U);
  for (int i = 0; i < 20 && file->sync().is_wanted(); ++i) {
    file->tend_sync();
    writer.poll(false);
  }
  EXPECT_FALSE(file->sync().is_wanted());
  EXPECT_EQ(file->sync().failures(), 0U);
  for (const char* const name : {"3.ringtrace", "7.ringtrace", "499999990.ringtrace"}) {
    EXPECT_EQ(io.synced.count(stem + name), 1U) << name;
  }
  EXPECT_EQ(io.synced.count(stem + "03.ringtrace"), 0U);
}

TEST_F(TraceFileTest, PassesSymlinksDirectoriesAndFifosBy) {
  FaultyBlockIo io(1);
  consumer::SlotWriter writer(*staging_, io, log_);
  const std::string first = open_file(writer)->path();
  const std::string stem = first.substr(0, first.size() - std::strlen("0.ringtrace"));
  std::filesystem::remove(first);
  const std::string victim = out_.file("victim");
  std::filesystem::create_symlink(victim, stem + "0.ringtrace");
  std::filesystem::create_directory(stem + "1.ringtrace");
  ASSERT_EQ(mkfifo((stem + "2.ringtrace").c_str(), 0600), 0);
  const auto file = open_file(writer);
  ASSERT_NE(file, nullptr) << why_;
  EXPECT_EQ(file->path(), stem + "3.ringtrace");
  EXPECT_FALSE(std::filesystem::exists(victim));
}

}  // namespace
}  // namespace ringside::consumer_test
