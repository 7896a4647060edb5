// The states that a consumerd can leave, made by hand, and how its successor recovers them.
#include "consumerd/write/recovery.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "consumerd/descriptors/file_lock.hpp"
#include "consumerd/discover/attached_segment.hpp"
#include "consumerd/write/staging_file.hpp"
#include "consumerd_process.hpp"
#include "dead_staging_file.hpp"
#include "scripted_service.hpp"
#include "shm-layout/segment_lock.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::RecoveryResult;

std::string text_of_file(const std::string& path) {
  return {std::istreambuf_iterator<char>(std::ifstream(path, std::ios::binary).rdbuf()), {}};
}

shm::JournalEntry entry_of(std::uint32_t ring, std::uint64_t pos, std::uint32_t generation = 1) {
  shm::JournalEntry entry{};
  entry.ring_index = ring;
  entry.generation = generation;
  entry.consumer_pos = pos;
  entry.next_sequence = pos / ScriptedService::kRecordBytes;
  entry.last_tsc = 1000 + pos;
  entry.booked_drops = 3;
  entry.booked_consumer_absent = 2;
  return entry;
}

class RecoveryTest : public testing::Test {
 protected:
  void SetUp() override {
    service_.publish(0, 100);
    service_.publish(1, 100);
    for (std::uint32_t i = 0; i < 2; ++i) service_.ring(i).consumer.generation.store(1);
    std::ofstream(file_) << "0123";
  }
  RecoveryResult recover() {
    return consumer::recover_staging(shm_.path(), DeadStagingFile::kName, log_);
  }
  std::uint64_t pos(std::uint32_t ring) { return service_.ring(ring).consumer.consumer_pos; }
  bool staging_exists() { return std::filesystem::exists(staging_.path()); }

  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  const consumer::Log log_;
  ScriptedService service_{shm_.path(), "svc", 1, 3};
  DeadStagingFile staging_{shm_.path()};
  std::string file_ = out_.file("svc.ringtrace");
};

TEST_F(RecoveryTest, WritesACommittedSlotAndMovesItsRing) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160), entry_of(1, 320)});
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), "0123abcdef");
  EXPECT_EQ(pos(0), 160U);
  EXPECT_EQ(pos(1), 320U);
  const shm::ConsumerPositionLine& line = service_.ring(0).consumer;
  EXPECT_EQ(line.next_sequence.load(), 10U);
  EXPECT_EQ(line.last_tsc.load(), 1160U);
  EXPECT_EQ(line.booked_drops.load(), 3U);
  EXPECT_FALSE(staging_exists());
  EXPECT_EQ(recover(), RecoveryResult::kNothing);
}

TEST_F(RecoveryTest, MovesTheProcessorWithThePosition) {
  const auto processor = [this](std::uint32_t ring) {
    const shm::RingMetadata& metadata = service_.ring(ring);
    return shm::consumed_processor(metadata.identity.consumed_processor.load(),
                                   metadata.consumer.consumer_pos.load());
  };
  service_.ring(1).identity.consumed_processor.store(shm::make_consumed_processor(9, 0));
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160), entry_of(1, 0)});
  staging_.slot(0).journal_processor[0] = 4;
  staging_.slot(0).journal_processor[1] = 5;
  service_.ring(1).consumer.booked_drops.store(3);
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(processor(0), 4U);
  EXPECT_EQ(processor(1), 9U) << "an equal entry is not ahead";
}

TEST_F(RecoveryTest, DoesTheSameAgainAfterItDiedInTheMiddle) {
  const auto prepare = [this] {
    staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
    staging_.fill(2, service_, file_, 10, "ghi", {entry_of(0, 320)});
  };
  prepare();
  const std::string saved = out_.file("saved");
  std::filesystem::copy_file(staging_.path(), saved);
  ASSERT_EQ(recover(), RecoveryResult::kDone);
  // As if the unlink had not happened.
  std::filesystem::copy_file(saved, staging_.path());
  std::filesystem::permissions(
      staging_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), "0123abcdefghi");
  EXPECT_EQ(pos(0), 320U);
}

TEST_F(RecoveryTest, AWrittenSlotThatWasNotClearedChangesNothing) {
  std::ofstream(file_) << "0123abcdef";
  service_.ring(0).consumer.consumer_pos.store(160);
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  service_.ring(0).consumer.booked_drops.store(3);
  service_.ring(0).consumer.last_tsc.store(7);
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), "0123abcdef");
  EXPECT_EQ(pos(0), 160U);
  EXPECT_EQ(service_.ring(0).consumer.last_tsc.load(), 7U) << "an equal entry is not ahead";
}

TEST_F(RecoveryTest, ANeverClearedOlderEntryDoesNotTurnARingBack) {
  service_.ring(0).consumer.consumer_pos.store(480);
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(pos(0), 480U);
}

TEST_F(RecoveryTest, LossesBookedAtTheSamePositionCount) {
  service_.ring(0).consumer.consumer_pos.store(160);
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(service_.ring(0).consumer.booked_drops.load(), 3U);
  EXPECT_EQ(service_.ring(0).consumer.booked_consumer_absent.load(), 2U);
}

TEST_F(RecoveryTest, EntriesOfAnotherGenerationOrRingOrSegmentMoveNothing) {
  service_.ring(3).producer.producer_pos.store(1600);  // beyond the last ring
  staging_.fill(0, service_, file_, 4, "a", {entry_of(0, 160, 2), entry_of(3, 160, 0)});
  staging_.fill(1, service_, file_, 5, "b", {entry_of(1, 160)});
  staging_.slot(1).segment_uuid[0] ^= 1;
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), "0123ab");
  for (const std::uint32_t ring : {0U, 1U, 3U}) EXPECT_EQ(pos(ring), 0U) << ring;
}

TEST_F(RecoveryTest, NeverMovesARingPastWhatIsPublished) {
  staging_.fill(0, service_, file_, 4, "a", {entry_of(0, 1U << 20)});
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(pos(0), 0U);
}

TEST_F(RecoveryTest, SkipsADamagedSlotWithItsPositionsAndDoesTheOthers) {
  for (int damage = 0; damage < 6; ++damage) {
    DeadStagingFile staging(shm_.path());
    service_.ring(0).consumer.consumer_pos.store(0);
    service_.ring(1).consumer.consumer_pos.store(0);
    staging.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
    staging.fill(1, service_, file_, 4, "ABCDEF", {entry_of(1, 160)});
    shm::SlotHeader& slot = staging.slot(0);
    if (damage == 0) slot.commit.store(shm::make_commit(kDeadSlotBytes + 1, 1));
    if (damage == 1) slot.commit.store(shm::make_commit(6, shm::kJournalEntries + 1));
    if (damage == 2) std::memset(slot.file_path, '/', sizeof slot.file_path);
    if (damage == 3) slot.file_path[0] = 'x';
    if (damage == 4) std::memset(slot.segment_name, 'r', sizeof slot.segment_name);
    if (damage == 5) slot.file_offset = UINT64_MAX;
    EXPECT_EQ(recover(), RecoveryResult::kDone) << damage;
    EXPECT_EQ(text_of_file(file_), "0123ABCDEF") << damage;
    EXPECT_EQ(pos(0), 0U) << damage;
    EXPECT_EQ(pos(1), 160U) << damage;
  }
}

TEST_F(RecoveryTest, LeavesForeignFilesOfThatNameAlone) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  ASSERT_EQ(chmod(staging_.path().c_str(), 0622), 0);
  EXPECT_EQ(recover(), RecoveryResult::kNothing);
  EXPECT_TRUE(staging_exists());
  const std::string moved = out_.file("staging");
  ASSERT_EQ(chmod(staging_.path().c_str(), 0600), 0);
  std::filesystem::rename(staging_.path(), moved);
  std::filesystem::create_symlink(moved, staging_.path());
  EXPECT_EQ(recover(), RecoveryResult::kFailed);
  std::filesystem::remove(staging_.path());
  ASSERT_EQ(mkfifo(staging_.path().c_str(), 0600), 0);
  EXPECT_EQ(recover(), RecoveryResult::kNothing);
  std::filesystem::remove(staging_.path());
  if (geteuid() == 0) {
    std::filesystem::rename(moved, staging_.path());
    ASSERT_EQ(chown(staging_.path().c_str(), 12345, 12345), 0);
    EXPECT_EQ(recover(), RecoveryResult::kNothing);
    EXPECT_TRUE(staging_exists());
  }
  EXPECT_EQ(text_of_file(file_), "0123");
  EXPECT_EQ(pos(0), 0U);
}

TEST_F(RecoveryTest, LeavesTheFileOfALivingConsumerdAlone) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  const consumer::UniqueFd owner(open(staging_.path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(consumer::try_lock_byte(owner.get(), shm::kStagingLockByte));
  EXPECT_EQ(recover(), RecoveryResult::kInUse);
  EXPECT_EQ(text_of_file(file_), "0123");
}

TEST_F(RecoveryTest, RemovesAFileThatWasNeverFinished) {
  staging_.header().version.store(0);
  EXPECT_EQ(recover(), RecoveryResult::kNothing);
  EXPECT_FALSE(staging_exists());
}

TEST_F(RecoveryTest, KeepsAFileOfAnotherVersionOrOfImpossibleSizes) {
  for (int damage = 0; damage < 4; ++damage) {
    if (damage == 0) staging_.header().version.store(shm::kStagingVersion + 1);
    if (damage == 1) staging_.header().slot_count = UINT32_MAX;
    if (damage == 2) staging_.header().slot_bytes = UINT64_MAX;
    if (damage == 3) staging_.header().slot_count = kDeadSlots + 1;
    EXPECT_EQ(recover(), RecoveryResult::kFailed) << damage;
    EXPECT_TRUE(staging_exists());
    staging_.header().version.store(shm::kStagingVersion);
    staging_.header().slot_count = kDeadSlots;
    staging_.header().slot_bytes = kDeadSlotBytes;
  }
}

TEST_F(RecoveryTest, KeepsEverythingWhileTheDiskRefusesIt) {
  const std::string gone = out_.file("missing/svc.ringtrace");
  staging_.fill(0, service_, gone, 0, "abcdef", {entry_of(0, 160)});
  staging_.fill(1, service_, file_, 4, "xyz", {entry_of(1, 160)});
  EXPECT_EQ(recover(), RecoveryResult::kFailed);
  EXPECT_TRUE(staging_exists());
  EXPECT_EQ(pos(0), 0U);
  EXPECT_EQ(pos(1), 0U) << "no position moves before all bytes are in their files";
  std::filesystem::create_directory(out_.file("missing"));
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(gone), "abcdef");
  EXPECT_EQ(text_of_file(file_), "0123xyz");
  EXPECT_EQ(pos(0), 160U);
}

TEST_F(RecoveryTest, DoesNotOverwriteAFileThatTookTheNameOfItsOwn) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  std::filesystem::rename(file_, out_.file("old"));
  const std::string other(100, 'z');
  std::ofstream(file_) << other;
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), other);
  EXPECT_EQ(text_of_file(file_ + ".recovered").substr(4), "abcdef");
}

TEST_F(RecoveryTest, IsNotBlockedByAFifoOrSymlinkInPlaceOfTheTraceFile) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  std::filesystem::remove(file_);
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_ + ".recovered").substr(4), "abcdef");
}

TEST_F(RecoveryTest, ASegmentHeldByItsServiceDoesNotBlockTheOthers) {
  ScriptedService other(shm_.path(), "other", 2, 1);
  other.publish(0, 100);
  other.ring(0).consumer.generation.store(1);
  ASSERT_TRUE(consumer::try_lock_byte(other.fd(), shm::kConsumerLockByte));
  staging_.fill(0, other, file_, 4, "abc", {entry_of(0, 160)});
  staging_.fill(1, service_, file_, 7, "def", {entry_of(0, 160)});
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), "0123abcdef");
  EXPECT_EQ(pos(0), 160U);
}

TEST_F(RecoveryTest, DropsTheSlotOfAPackedFileAndDoesNotRecreateTheFile) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  std::filesystem::rename(file_, file_ + ".zst");
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_EQ(text_of_file(file_ + ".zst"), "0123");
  EXPECT_EQ(pos(0), 160U);
  EXPECT_FALSE(staging_exists());
}

// What an owner does to the file of a segment that was already drained must not block recovery, and
// nothing of it is written twice.
TEST_F(RecoveryTest, ASegmentWithAnotherModeOrNameIsFinishedToo) {
  ScriptedService other(shm_.path(), "other", 2, 1);
  other.publish(0, 100);
  other.ring(0).consumer.generation.store(1);
  ASSERT_EQ(fchmod(other.fd(), 0666), 0);
  std::filesystem::create_hard_link(other.path(), shm_.file("link"));
  staging_.fill(0, other, file_, 4, "abc", {entry_of(0, 160)});
  staging_.fill(1, service_, file_, 7, "def", {entry_of(0, 160)});
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(other.ring(0).consumer.consumer_pos.load(), 160U);
  EXPECT_EQ(pos(0), 160U);
}

TEST_F(RecoveryTest, ARemovedSegmentNeedsNoPositions) {
  staging_.fill(0, service_, file_, 4, "abcdef", {entry_of(0, 160)});
  std::filesystem::remove(service_.path());
  EXPECT_EQ(recover(), RecoveryResult::kDone);
  EXPECT_EQ(text_of_file(file_), "0123abcdef");
}

// The real consumerd, killed repeatedly at random moments.
TEST(KilledConsumerd, LosesNothingAndRepeatsNothing) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService service(shm.path(), "svc", 1, 3);
  constexpr std::uint64_t kRecords = 60'000;
  const std::vector<std::string> arguments = {"-o", out.path(), "--shm-dir", shm.path()};
  for (int round = 0; round < 8; ++round) {
    ConsumerdProcess consumerd(arguments);
    const std::uint64_t goal = kRecords / 8 * static_cast<std::uint64_t>(round + 1);
    ASSERT_TRUE(comes_true([&] {
      bool reached = true;
      for (std::uint32_t ring = 0; ring < 3; ++ring) {
        const std::uint64_t done = service.published(ring);
        if (done < goal) service.publish(ring, goal - done);
        reached = reached && service.published(ring) == goal;
      }
      return reached;
    })) << consumerd.error_output();
    consumerd.signal(SIGKILL);
    EXPECT_EQ(consumerd.wait(), 128 + SIGKILL);
  }
  service.die();
  ConsumerdProcess last({"-o", out.path(), "--shm-dir", shm.path(), "--once"});
  EXPECT_EQ(last.wait(), 0) << last.error_output();
  const TraceContent content = read_traces(out.path(), "svc");
  EXPECT_TRUE(content.faults.empty()) << content.faults.front();
  for (std::uint64_t stream = 1; stream <= 3; ++stream) {
    EXPECT_TRUE(counts_up_to(content, stream, kRecords)) << stream;
  }
  EXPECT_TRUE(shm.names_with("ringside").empty()) << "segment and staging files are removed";
}

TEST_F(RecoveryTest, AFailureIsListedByOnce) {
  staging_.fill(0, service_, "/nonexistent/svc.ringtrace", 0, "abcdef", {entry_of(0, 160)});
  const std::uint8_t uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};
  const std::vector<std::string> once = {"-o", out_.path(), "--shm-dir", shm_.path(), "--once"};
  ConsumerdProcess unnamed(once);
  EXPECT_EQ(unnamed.wait(), 1) << "its records are not in a trace file";
  EXPECT_NE(unnamed.error_output().find("not recovered: " + staging_.path()), std::string::npos);
  std::memcpy(service_.control().consumer.staging_uuid, uuid, sizeof uuid);
  ConsumerdProcess named(once);
  EXPECT_EQ(named.wait(), 1) << "a segment that waits for it is listed too";
  EXPECT_NE(named.error_output().find("not drained: " + service_.path()), std::string::npos);
}

}  // namespace
}  // namespace ringside::consumer_test
