// How one session drains valid and hostile rings, step by step and without a process.
#include "consumerd/drain/ring_drain.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "faulty_block_io.hpp"
#include "session_fixture.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::consumer_test {
namespace {

TEST_F(SessionTest, DrainsEverythingOverManyLaps) {
  start();
  for (int i = 0; i < 40; ++i) {
    for (std::uint32_t ring = 0; ring < 3; ++ring) EXPECT_EQ(service_.publish(ring, 3000), 3000U);
    round();
  }
  const TraceContent content = end();
  for (std::uint64_t stream = 1; stream <= 3; ++stream) {
    EXPECT_TRUE(counts_up_to(content, stream, 120'000));
  }
  EXPECT_EQ(content.ends, 1U);
}

// The head of a record has 44 bits of its time stamp. The higher bits come from the thread's start,
// from clock records, or, for a successor, from the position where its predecessor stopped.
TEST_F(SessionTest, KeepsTimesBeyondTheBitsOfAHead) {
  static_assert(shm::kClockIntervalTicks == (shm::kHeadTscMask + 1) / 4);
  constexpr std::uint64_t kStart = (std::uint64_t{5} << shm::kHeadTscBits) + 1000;
  constexpr std::uint64_t kLater = kStart + (std::uint64_t{3} << shm::kHeadTscBits) + 500;
  const auto log_at = [this](std::uint64_t tsc, std::uint64_t value) {
    const std::uint64_t words[2] = {shm::make_head(tsc, 1), value};
    service_.publish_raw(0, words, sizeof words);
  };
  service_.ring(0).identity.start_tsc = kStart;
  start();
  log_at(kStart + 10, 0);
  const std::uint64_t clock[3] = {shm::make_head(kLater, shm::kCodeClock), kLater, 0};
  static_assert(sizeof clock == shm::kClockRecordBytes);
  service_.publish_raw(0, clock, sizeof clock);
  log_at(kLater, 1);
  round();
  end();
  start();
  log_at(kLater + shm::kClockIntervalTicks - 1, 2);
  end();
  trace::ReadError error;
  auto traces = trace::TraceSet::open(std::vector<std::string>{out_.path()}, &error);
  ASSERT_TRUE(traces) << error.text();
  std::vector<std::uint64_t> times;
  trace::Event event;
  while (traces->next(event)) times.push_back(event.record.tsc);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{kStart + 10, kLater,
                                               kLater + shm::kClockIntervalTicks - 1}));
}

TEST_F(SessionTest, QuarantinesAProducerPositionBeyondTheRing) {
  start_with_records();
  service_.ring(1).producer.producer_pos.fetch_add(ScriptedService::kRingBytes + 1);
  expect_only(1, Quarantine::kPosition);
}

TEST_F(SessionTest, QuarantinesAProducerPositionThatGoesBack) {
  start_with_records();
  service_.ring(1).producer.producer_pos.fetch_sub(16);
  expect_only(1, Quarantine::kPosition);
}

TEST_F(SessionTest, QuarantinesUntouchedMemory) {
  start_with_records();
  const std::uint64_t zeros[4] = {};
  service_.publish_raw(2, zeros, sizeof zeros);
  expect_only(2, Quarantine::kRecord);
}

TEST_F(SessionTest, QuarantinesAnUnknownSite) {
  start_with_records();
  append(0, 99, 1);
  expect_only(0, Quarantine::kRecord);
}

TEST_F(SessionTest, QuarantinesARecordThatEndsAfterThePublishedBytes) {
  start_with_records();
  const std::uint64_t head = shm::make_head(shm::read_tsc(), 1);
  service_.publish_raw(0, &head, sizeof head);
  expect_only(0, Quarantine::kRecord);
}

TEST_F(SessionTest, QuarantinesAPadOfImpossibleLength) {
  start_with_records();
  const std::uint64_t pad[2] = {shm::make_head(shm::kHeadTscMask, shm::kCodePad), 0};
  service_.publish_raw(0, pad, sizeof pad);
  expect_only(0, Quarantine::kRecord);
}

class TextLength : public SessionTest, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(TextLength, BeyondThePublishedBytesQuarantinesTheRing) {
  service_.add_site(2, shm::FieldType::string);
  start_with_records();
  std::byte record[16] = {};
  const std::uint64_t head = shm::make_head(shm::read_tsc(), 2);
  const std::uint32_t length = GetParam();
  std::memcpy(record, &head, 8);
  std::memcpy(record + 8, &length, 4);
  service_.publish_raw(0, record, sizeof record);
  expect_only(0, Quarantine::kRecord);
}

TEST_F(SessionTest, DrainsARecordThatIsLargerThanABatch) {
  ScriptedService large(shm_.path(), "svc", 2, 1, true, false, std::uint64_t{1} << 20);
  large.add_site(2, shm::FieldType::string);
  start(large.name());
  large.publish(0, 3);
  constexpr std::uint32_t kTextBytes = 2 * consumer::kDrainBatchBytes + 4;
  std::vector<std::byte> record(8 + 4 + kTextBytes, std::byte{'x'});
  const std::uint64_t head = shm::make_head(shm::read_tsc(), 2);
  std::memcpy(record.data(), &head, 8);
  std::memcpy(record.data() + 8, &kTextBytes, 4);
  large.publish_raw(0, record.data(), record.size());
  round();
  const shm::RingMetadata& ring = large.ring(0);
  EXPECT_EQ(static_cast<Quarantine>(ring.consumer.quarantine.load()), Quarantine::kNone);
  EXPECT_EQ(ring.consumer.consumer_pos.load(), ring.producer.producer_pos.load());
  EXPECT_EQ(end().records, 4U);
}

INSTANTIATE_TEST_SUITE_P(Lengths, TextLength,
                         testing::Values(5U, 100U, 65536U, 0x7FFFFFFFU, 0xFFFFFFF8U, 0xFFFFFFFFU));

TEST_F(SessionTest, GarbageNeverCrashesAndNeverReachesOtherRings) {
  start_with_records();
  std::mt19937_64 random(99);
  std::uint64_t words[64];
  for (std::uint64_t& word : words) word = random();
  service_.publish_raw(1, words, sizeof words);
  round();
  EXPECT_NE(quarantine_of(1), Quarantine::kNone);
  service_.publish(0, 50);
  EXPECT_TRUE(counts_up_to(end(), 1, 150));
}

TEST_F(SessionTest, OutlivesADictionaryLengthThatShrinksOrIsHuge) {
  start_with_records();
  std::atomic<std::uint64_t>& length = service_.control().service.dictionary_committed_bytes;
  const std::uint64_t sound = length.load();
  for (const std::uint64_t wrong : {std::uint64_t{0}, sound - 8, std::uint64_t{1} << 40,
                                    ~std::uint64_t{0}, service_.layout().dictionary_bytes + 8}) {
    length.store(wrong);
    EXPECT_EQ(service_.publish(0, 10), 10U);
    round();
    EXPECT_EQ(quarantine_of(0), Quarantine::kNone);
  }
  // The dictionary is valid again, and new sites are learned.
  length.store(sound);
  service_.add_site(7);
  append(1, 7, 100);
  round();
  EXPECT_EQ(quarantine_of(1), Quarantine::kNone);
  const TraceContent content = end();
  EXPECT_TRUE(counts_up_to(content, 1, 150));
  EXPECT_TRUE(counts_up_to(content, 2, 101));
}

TEST_F(SessionTest, KeepsTheSitesBeforeADamagedEntry) {
  start_with_records();
  const std::uint32_t garbage[4] = {0xFFFFFFF0U, 1, 2, 3};
  service_.append_dictionary(garbage, sizeof garbage);
  append(2, 50, 1);  // the id of a site that would follow the dictionary's end
  expect_only(2, Quarantine::kDictionary);
}

TEST_F(SessionTest, ReadsADictionaryThatClaimsItsWholeArena) {
  start();
  service_.control().service.dictionary_committed_bytes.store(service_.layout().dictionary_bytes);
  service_.publish(0, 100);
  round();
  EXPECT_TRUE(counts_up_to(end(), 1, 100));
}

TEST_F(SessionTest, ContinuesInTheNextSectionWhereTheLastOneEnded) {
  start_with_records();
  end();
  service_.publish(0, 77);
  start();
  EXPECT_TRUE(counts_up_to(end(), 1, 177));
}

TEST_F(SessionTest, BooksLossesOfARetiredThreadOnce) {
  start_with_records();
  service_.ring(0).counters.dropped_ring_full.store(5);
  service_.ring(0).counters.dropped_total.store(5);
  round();
  EXPECT_EQ(service_.ring(0).consumer.booked_drops.load(), 0U) << "it may still tell itself";
  service_.retire(0);
  round();
  round();
  EXPECT_EQ(service_.ring(0).consumer.booked_drops.load(), 5U);
  EXPECT_EQ(end().dropped, 5U);
}

TEST_F(SessionTest, BooksTheLossesOfANewOwnerFromZero) {
  start_with_records();
  shm::RingMetadata& ring = service_.ring(0);
  ring.counters.dropped_total.store(5);
  service_.retire(0);
  round();
  // The next owner loses three records and ends without publishing any.
  ring.counters.dropped_total.store(0);
  ring.identity.stream_id = 50;
  ring.identity.generation.store(2);
  ring.counters.dropped_total.store(3);
  round();
  EXPECT_EQ(ring.consumer.booked_drops.load(), 3U);
  EXPECT_EQ(ring.consumer.generation.load(), 2U);
  EXPECT_EQ(end().dropped, 8U);
}

TEST_F(SessionTest, FreesTheRingOfAThreadThatNeverLogged) {
  start();
  shm::RingMetadata& ring = service_.ring(0);
  EXPECT_NE(ring.consumer.generation.load(), ring.identity.generation.load());
  service_.retire(0);
  round();
  EXPECT_EQ(ring.consumer.generation.load(), ring.identity.generation.load());
  // The owner after that is announced as usual.
  ring.identity.stream_id = 60;
  ring.identity.generation.store(2);
  ring.identity.state.store(static_cast<std::uint32_t>(shm::RingState::kActive));
  service_.publish(0, 10);
  round();
  EXPECT_TRUE(counts_up_to(end(), 60, 10));
}

TEST_F(SessionTest, CountsANewOwnersRecordsFromZero) {
  start_with_records();
  shm::RingMetadata& ring = service_.ring(0);
  EXPECT_EQ(ring.consumer.next_sequence.load(), 100U);
  service_.retire(0);
  round();
  ring.identity.stream_id = 60;
  ring.identity.generation.store(2);
  ring.identity.state.store(static_cast<std::uint32_t>(shm::RingState::kActive));
  service_.publish(0, 10);
  round();
  EXPECT_EQ(ring.consumer.next_sequence.load(), 10U);
  end();
}

TEST_F(SessionTest, MeasuresTheHighestFillOfANewOwnerFromZero) {
  start_with_records();
  shm::RingMetadata& ring = service_.ring(0);
  // What the first round after a new owner finds is not measured.
  service_.publish(0, 100);
  round();
  const std::uint64_t highest = ring.consumer.high_water_bytes.load();
  EXPECT_GT(highest, 0U);
  service_.retire(0);
  round();
  ring.identity.stream_id = 60;
  ring.identity.generation.store(2);
  ring.identity.state.store(static_cast<std::uint32_t>(shm::RingState::kActive));
  for (int i = 0; i < 2; ++i) {
    service_.publish(0, 10);
    round();
  }
  EXPECT_GT(ring.consumer.high_water_bytes.load(), 0U);
  EXPECT_LT(ring.consumer.high_water_bytes.load(), highest);
  end();
}

TEST_F(SessionTest, ReportsThatThePredecessorsRecordsAreWritten) {
  service_.publish(0, 100);
  // As recovery leaves it.
  service_.ring(0).consumer.consumer_pos.store(100 * ScriptedService::kRecordBytes);
  start();
  round();
  EXPECT_EQ(service_.ring(0).consumer.written_pos.load(), 100 * ScriptedService::kRecordBytes);
  end();
}

// The ring's next owner ends without a record, so no later position covers those of the owner
// before it.
TEST_F(SessionTest, ReportsThatTheRecordsOfAFormerOwnerAreWritten) {
  start();
  service_.publish(0, 10);
  session_->poll();  // taken, and not sent to the disk
  service_.retire(0);
  shm::RingMetadata& ring = service_.ring(0);
  ring.identity.generation.store(2);
  session_->tend();
  ASSERT_EQ(ring.consumer.generation.load(), 2U);
  ASSERT_EQ(ring.consumer.written_pos.load(), 0U);
  session_->seal();
  while (!writer_->idle()) writer_->poll(true);
  EXPECT_EQ(ring.consumer.written_pos.load(), 10 * ScriptedService::kRecordBytes);
  end();
}

TEST_F(SessionTest, TakesNothingAndReportsItWhileTheDiskIsStalled) {
  auto faulty = std::make_unique<FaultyBlockIo>(1);
  FaultyBlockIo& disk = *faulty;
  io_ = std::move(faulty);
  writer_ = std::make_unique<consumer::SlotWriter>(*staging_, *io_, log_);
  disk.errors = {EIO};
  disk.fail = 1000;
  start_with_records();
  session_->seal();
  while (!session_->file().stalled()) writer_->poll(true);
  const std::uint64_t heartbeat = service_.control().consumer.heartbeat.load();
  const std::uint64_t before = service_.ring(0).consumer.consumer_pos.load();
  service_.publish(0, 10);
  EXPECT_EQ(session_->poll().ring_bytes, 0U);
  EXPECT_EQ(service_.ring(0).consumer.consumer_pos.load(), before);
  EXPECT_EQ(service_.control().consumer.heartbeat.load(), heartbeat);
  EXPECT_EQ(service_.control().consumer.state.load(),
            static_cast<std::uint32_t>(shm::ConsumerState::kStalled));
  session_->begin_end(trace::EndReason::kConsumerEnded);
  EXPECT_EQ(session_->try_end(), SegmentSession::End::kStalled);
  disk.fail = 0;
  while (session_->try_end() != SegmentSession::End::kOver) writer_->poll(true);
  EXPECT_EQ(service_.ring(0).consumer.consumer_pos.load(), 110 * ScriptedService::kRecordBytes);
  session_->leave();
  session_.reset();
}

TEST_F(SessionTest, ContinuesInANewFileWhenTheDirectoryOfItsFileExistsAgain) {
  start_with_records();
  const std::string moved = out_.path() + ".moved";
  std::filesystem::rename(out_.path(), moved);
  const auto stalled = static_cast<std::uint32_t>(shm::ConsumerState::kStalled);
  // Checked every 100 ms.
  while (service_.control().consumer.state.load() != stalled) round();
  const std::uint64_t before = service_.ring(0).consumer.consumer_pos.load();
  EXPECT_EQ(service_.publish(0, 10), 10U);
  round();
  EXPECT_EQ(service_.ring(0).consumer.consumer_pos.load(), before);
  std::filesystem::create_directory(out_.path());
  while (service_.control().consumer.state.load() == stalled) round();
  const TraceContent content = end();
  EXPECT_EQ(content.values.at(1).size(), 10U);
  const TraceContent first = read_traces(moved, "svc");
  EXPECT_TRUE(first.faults.empty());
  EXPECT_EQ(first.ends, 1U) << "the file that was moved is whole";
  EXPECT_TRUE(counts_up_to(first, 1, 100));
  std::filesystem::remove_all(moved);
}

TEST_F(SessionTest, SurvivesEveryClockThatAHeaderCanClaim) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 50; ++i) {
    service_.header().tsc_frequency_hz = i == 0 ? 1 : i == 1 ? UINT64_MAX : random();
    service_.header().start_tsc = i % 3 == 0 ? 0 : random();
    service_.header().start_monotonic_ns = i % 5 == 0 ? 0 : random();
    service_.header().start_realtime_ns = i % 7 == 0 ? UINT64_MAX : random();
    start();
    service_.publish(0, 1);
    round();
    EXPECT_EQ(end().records, 1U);
    for (const std::string& name : out_.names_with("svc")) std::filesystem::remove(out_.file(name));
  }
}

}  // namespace
}  // namespace ringside::consumer_test
