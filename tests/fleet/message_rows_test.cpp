// Messages as rows: each extent once, all rows of a message or none, whatever its bytes are.

#include "tools/fleet/message_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/segment_source.hpp"
#include "trace-format/blocks/block_writer.hpp"
#include "trace-format/blocks/little_endian.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::fleet {
namespace {

using trace::testing::TraceFileBuilder;
using Taken = MessageRows::Taken;

constexpr std::uint64_t kTime = 1'800'000'000'000'000'000;
constexpr std::uint64_t kMonthNs = std::uint64_t{31} * 86'400 * 1'000'000'000;

// What a shipper makes of a trace.
class ShippedTrace {
 public:
  ShippedTrace(const trace::testing::Bytes& bytes, std::size_t message_bytes) {
    const std::string path = folder_.write("service.101.x.0.ringtrace", bytes);
    TraceSegments segments({folder_.path()});
    trace::ReadError error;
    EXPECT_TRUE(segments.look(&error)) << error.text();
    const TraceSegment& segment = segments.segments().begin()->second;
    subject_ = extent_subject("tenant", segment.host, segment.service, segment.uuid);
    trace::ReadReport report;
    trace::OpenFiles files(report);
    SegmentSource source(segment.uuid, {}, nullptr, files, report);
    source.set_files(segment.files);
    while (auto prepared = source.next(message_bytes)) {
      for (NamedContents& contents : prepared->contents)
        contents_[hash_key(contents.hash)] = std::move(contents.bytes);
      messages_.push_back(std::move(prepared->message));
    }
  }

  const std::vector<ExtentMessage>& messages() const { return messages_; }
  StoredMessage stored(const ExtentMessage& message) const {
    return {1, subject_, write_extent_message(message, 1)};
  }
  // As a snapshot sends it.
  StoredMessage snapshot_of(const ExtentMessage& message, const std::string& id) const {
    return {1, subject_ + '.' + id, write_extent_message(message, 1)};
  }
  MessageRows rows(std::size_t most_remembered = MessageRows::kMostRemembered) const {
    return MessageRows(
        [this](std::string_view key, Bytes& contents) {
          const auto found = contents_.find(std::string(key));
          if (found == contents_.end()) return DeliveryQueue::Fetched::kMissing;
          contents = found->second;
          return DeliveryQueue::Fetched::kYes;
        },
        most_remembered);
  }

 private:
  trace::testing::TemporaryDirectory folder_;
  std::string subject_;
  std::map<std::string, Bytes> contents_;
  std::vector<ExtentMessage> messages_;
};

trace::testing::Bytes some_trace(std::mt19937_64& random) {
  TraceFileBuilder builder;
  builder.begin();
  builder.stream(1, "one");
  builder.stream(2, "two");
  std::uint64_t time = kTime;
  for (int extent = 0; extent < 12; ++extent) {
    std::vector<std::uint64_t> times;
    for (std::uint64_t record = 0; record < 1 + random() % 20; ++record)
      times.push_back(time += random() % 1000);
    builder.extent(1 + random() % 2, times);
    if (random() % 3 == 0) builder.sequence_point(time);
  }
  builder.end();
  return builder.bytes;
}

// (stream, number) of all records.
std::multiset<std::pair<std::uint64_t, std::uint64_t>> numbers_of(const RowBatch& batch) {
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> numbers;
  const auto streams = batch.records.stream.from(0);
  const auto sequences = batch.records.sequence.from(0);
  EXPECT_EQ(streams.size(), batch.records.rows);
  EXPECT_EQ(sequences.size(), batch.records.rows);
  for (std::size_t i = 0; i < streams.size(); ++i) numbers.emplace(streams[i], sequences[i]);
  return numbers;
}

// Rows that are not positions of sequence points.
std::size_t extents_of(const RowBatch& batch) {
  std::size_t count = 0;
  for (const std::uint64_t records : batch.extents.records.from(0)) count += records != 0 ? 1 : 0;
  return count;
}

TEST(MessageRows, AreTheSameForAnyBoundariesOfMessages) {
  std::mt19937_64 random(1);
  const auto bytes = some_trace(random);
  std::multiset<std::pair<std::uint64_t, std::uint64_t>> expected;
  for (const std::size_t message_bytes : {std::size_t{1} << 20, std::size_t{1}, std::size_t{300}}) {
    const ShippedTrace trace(bytes, message_bytes);
    MessageRows rows = trace.rows();
    RowBatch batch;
    std::string why;
    for (const ExtentMessage& message : trace.messages())
      ASSERT_EQ(rows.take(trace.stored(message), batch, &why), Taken::kYes) << why;
    if (expected.empty()) expected = numbers_of(batch);
    EXPECT_EQ(numbers_of(batch), expected);
    EXPECT_EQ(extents_of(batch), 12U);
    if (trace.messages().size() == 1) {
      EXPECT_EQ(batch.extents.rows, 12U) << "no positions that extents show";
    }
  }
  EXPECT_GT(expected.size(), 12U);
}

TEST(MessageRows, TakeEachExtentOnceFromMessagesWithOtherBoundaries) {
  std::mt19937_64 random(2);
  const auto bytes = some_trace(random);
  const ShippedTrace whole(bytes, std::size_t{1} << 20);
  const ShippedTrace parts(bytes, 1);
  MessageRows rows = parts.rows();
  RowBatch batch;
  std::string why;
  ASSERT_EQ(rows.take(parts.stored(parts.messages()[3]), batch, &why), Taken::kYes) << why;
  ASSERT_EQ(rows.take(whole.stored(whole.messages()[0]), batch, &why), Taken::kYes) << why;
  for (const ExtentMessage& message : parts.messages())
    ASSERT_EQ(rows.take(parts.stored(message), batch, &why), Taken::kYes) << why;
  const auto numbers = numbers_of(batch);
  EXPECT_EQ(numbers.size(), std::set(numbers.begin(), numbers.end()).size());
  EXPECT_EQ(rows.counts().records, numbers.size());
  EXPECT_EQ(rows.counts().extents, 12U);
}

TEST(MessageRows, MissingDictionaryIsReported) {
  std::mt19937_64 random(3);
  const ShippedTrace trace(some_trace(random), std::size_t{1} << 20);
  MessageRows rows([](std::string_view, Bytes&) { return DeliveryQueue::Fetched::kMissing; });
  RowBatch batch;
  std::string why;
  EXPECT_EQ(rows.take(trace.stored(trace.messages()[0]), batch, &why), Taken::kNoDictionary);
  EXPECT_NE(why.find("a part of its dictionary is missing"), std::string::npos) << why;
}

TEST(MessageRows, RefusesRecordsOfManyYears) {
  TraceFileBuilder builder;
  builder.begin();
  builder.extent(1, {kTime});
  // From here on, a tick is a nanosecond five years later.
  builder.clock({kTime + 1000, kTime + 60 * kMonthNs, std::uint64_t{1} << 40, 0, 0});
  builder.extent(1, {kTime + 2000});
  const ShippedTrace trace(builder.bytes, std::size_t{1} << 20);
  MessageRows rows = trace.rows();
  RowBatch batch;
  std::string why;
  EXPECT_EQ(rows.take(trace.stored(trace.messages()[0]), batch, &why), Taken::kRefused);
  EXPECT_EQ(why, "its records cover more than four years; check the clock of the host");
  EXPECT_TRUE(batch.is_empty());
}

// Two threads, with as many records; each number of `cuts` is that of an extent of the first.
trace::testing::Bytes cut_trace(const std::vector<std::uint64_t>& cuts) {
  TraceFileBuilder builder;
  builder.begin();
  builder.stream(1, "one");
  std::uint64_t time = kTime;
  for (const std::uint64_t records : cuts) {
    std::vector<std::uint64_t> times;
    for (std::uint64_t record = 0; record < records; ++record) times.push_back(++time);
    builder.extent(1, times);
  }
  builder.extent(2, {kTime});
  builder.end();
  return builder.bytes;
}

TEST(MessageRows, TakeExtentsThatAreKnownInPart) {
  const ShippedTrace parts(cut_trace({4, 4}), std::size_t{1} << 20);
  const ShippedTrace whole(cut_trace({6, 6}), std::size_t{1} << 20);
  MessageRows rows = parts.rows();
  RowBatch batch;
  std::string why;
  for (const ShippedTrace* const trace : {&parts, &whole, &parts}) {
    ASSERT_EQ(trace->messages().size(), 1U);
    ASSERT_EQ(rows.take(trace->stored(trace->messages()[0]), batch, &why), Taken::kYes) << why;
  }
  const auto numbers = numbers_of(batch);
  const std::set distinct(numbers.begin(), numbers.end());
  EXPECT_EQ(distinct.size(), 13U) << "no number is left out";
  EXPECT_EQ(numbers.count({1, 3}), 1U) << "the first extent of the second cut has nothing new";
}

TEST(MessageRows, ForgetAllExtentsWhenThereAreTooMany) {
  const ShippedTrace trace(cut_trace({4, 4}), std::size_t{1} << 20);
  // The two threads are two ranges.
  for (const std::size_t most : {std::size_t{2}, std::size_t{1}}) {
    MessageRows rows = trace.rows(most);
    RowBatch batch;
    std::string why;
    for (int i = 0; i < 2; ++i)
      ASSERT_EQ(rows.take(trace.stored(trace.messages()[0]), batch, &why), Taken::kYes) << why;
    EXPECT_EQ(rows.counts().repeated_extents, most == 2 ? 3U : 0U);
    EXPECT_EQ(rows.counts().extents, most == 2 ? 3U : 6U);
  }
}

TEST(MessageRows, MarkWhatSnapshotsSend) {
  const ShippedTrace trace(cut_trace({4, 4}), std::size_t{1} << 20);
  MessageRows rows = trace.rows();
  RowBatch batch;
  std::string why;
  ASSERT_EQ(rows.take(trace.stored(trace.messages()[0]), batch, &why), Taken::kYes) << why;
  ASSERT_EQ(rows.take(trace.snapshot_of(trace.messages()[0], "late"), batch, &why), Taken::kYes)
      << why;
  const auto extents = batch.records.extent.from(0);
  ASSERT_EQ(extents.size(), 18U);
  EXPECT_EQ(std::count(extents.begin(), extents.end(), kSnapshotExtent), 9);
  const auto marks = batch.extents.snapshot.from(0);
  ASSERT_EQ(marks.size(), 6U);
  EXPECT_EQ(std::count(marks.begin(), marks.end(), 1), 3);
}

TEST(MessageRows, RefuseMoreClocksThanShippersSend) {
  const ShippedTrace trace(cut_trace({4}), std::size_t{1} << 20);
  ExtentMessage message = trace.messages()[0];
  // In the order that costs most. One more is in the message.
  for (std::size_t i = MessageRows::kMostClocks - 1; i > 0; --i) {
    const std::size_t before = message.blocks.size();
    message.blocks.resize(before + 256);
    const std::size_t bytes = trace::write_clock_block({i, i, std::uint64_t{1} << 40, 0, 0},
                                                       std::span(message.blocks).subspan(before));
    message.blocks.resize(before + bytes);
  }
  MessageRows rows = trace.rows();
  RowBatch batch;
  std::string why;
  ASSERT_EQ(rows.take(trace.stored(message), batch, &why), Taken::kYes) << why;
  message.repeated = message.blocks;
  EXPECT_EQ(rows.take(trace.stored(message), batch, &why), Taken::kRefused);
  EXPECT_EQ(why, "it has more than 100,000 clocks");
}

TEST(MessageRows, LossesOfEachPlaceHaveTheirOwnKey) {
  TraceFileBuilder builder;
  builder.begin();
  builder.stream(5, "five");
  trace::LossesBlock losses;
  losses.until_tsc = kTime + 1;
  // The dictionary has neither: both have the statement 0.
  for (const std::uint32_t site : {5U, 6U})
    losses.by_site.push_back({site, shm::LossCause::kRingFull, 0, 10});
  trace::testing::Bytes block(4096);
  block.resize(trace::write_losses_block(losses, block));
  builder.bytes.insert(builder.bytes.end(), block.begin(), block.end());
  builder.extent(1, {kTime + 2});
  builder.end();
  const ShippedTrace trace(builder.bytes, std::size_t{1} << 20);
  MessageRows rows = trace.rows();
  RowBatch batch;
  std::string why;
  ASSERT_EQ(rows.take(trace.stored(trace.messages()[0]), batch, &why), Taken::kYes) << why;
  const auto streams = batch.losses.stream.from(0);
  EXPECT_EQ((std::vector<std::uint64_t>(streams.begin(), streams.end())),
            (std::vector<std::uint64_t>{5, 6}));
  const auto threads = batch.losses.thread_id.from(0);
  EXPECT_EQ((std::vector<std::uint32_t>(threads.begin(), threads.end())),
            (std::vector<std::uint32_t>{0, 0}))
      << "the number is not that of a thread";
}

// Any byte of a block can change, with a sum that is correct.
void damage(ExtentMessage& message, std::mt19937_64& random) {
  Bytes& blocks = message.blocks;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // of payloads, and their sizes
  for (std::size_t at = 0; at < blocks.size();) {
    trace::BlockFrame frame;
    ASSERT_TRUE(trace::parse_block_frame(std::span(blocks).subspan(at), frame));
    if (frame.payload_bytes != 0) places.emplace_back(at, frame.payload_bytes);
    at += frame.block_bytes();
  }
  const auto [at, bytes] = places[random() % places.size()];
  for (std::uint64_t change = 0; change < 1 + random() % 3; ++change) {
    const std::size_t place = at + trace::kBlockHeaderBytes + random() % bytes;
    blocks[place] = random() % 4 == 0 ? std::byte{0xFF} : static_cast<std::byte>(random());
  }
  trace::BlockFrame frame;
  ASSERT_TRUE(trace::parse_block_frame(std::span(blocks).subspan(at), frame));
  trace::write_block_frame(blocks.data() + at, frame.type, bytes, frame.flags);
}

TEST(MessageRows, DamagedMessagesAddAllTheirRowsOrNone) {
  std::mt19937_64 random(4);
  std::uint64_t refused = 0;
  for (int round = 0; round < 500; ++round) {
    const ShippedTrace trace(some_trace(random), 1 + random() % 600);
    MessageRows rows = trace.rows();
    RowBatch batch;
    std::string why;
    ExtentMessage damaged = trace.messages()[random() % trace.messages().size()];
    damage(damaged, random);
    const bool is_refused = rows.take(trace.stored(damaged), batch, &why) == Taken::kRefused;
    refused += is_refused ? 1 : 0;
    if (!is_refused) continue;
    ASSERT_TRUE(batch.is_empty()) << why;
    ASSERT_FALSE(why.empty());
    for (const ExtentMessage& message : trace.messages())
      ASSERT_EQ(rows.take(trace.stored(message), batch, &why), Taken::kYes) << why;
    ASSERT_EQ(extents_of(batch), 12U);
    ASSERT_EQ(batch.statements.rows, 1U) << "the statement is inserted, although it was known";
    const NativeBlock block = batch.block(ClickHouseTable::kRecords, ClickHouseDialect::kOld);
    ASSERT_EQ(block.rows(), numbers_of(batch).size());
  }
  EXPECT_GT(refused, 50U);
}

}  // namespace
}  // namespace ringside::fleet
