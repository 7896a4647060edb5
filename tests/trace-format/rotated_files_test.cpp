// The files that hold the trace of one segment, complete or not.
#include <algorithm>

#include <gtest/gtest.h>

#include "section_index_bytes.hpp"
#include "trace-format/blocks/losses_block.hpp"
#include "trace-format/reader/sequence_ledger.hpp"

namespace ringside::trace::testing {
namespace {

// Five files of one segment. Each has two records of stream 1; the first and the last also have one
// of stream 2.
std::vector<Bytes> rotated_files() {
  TraceFileBuilder writer;  // one builder, so that sequence numbers continue
  std::vector<Bytes> files;
  for (std::uint32_t i = 0; i < 5; ++i) {
    writer.bytes.clear();
    writer.begin(1, "service", i);
    writer.extent(1, {1000U * i + 100, 1000U * i + 200});
    if (i % 4 == 0) writer.extent(2, {1000U * i + 150});
    writer.sequence_point(1000U * i + 300);
    writer.end();
    files.push_back(writer.bytes);
  }
  return files;
}

std::vector<Bytes> without(std::vector<Bytes> files, std::initializer_list<std::size_t> left_out) {
  for (auto it = std::rbegin(left_out); it != std::rend(left_out); ++it) {
    files.erase(files.begin() + static_cast<std::ptrdiff_t>(*it));
  }
  return files;
}

std::vector<ReadEvent> losses(const ReadResult& r) {
  std::vector<ReadEvent> result;
  std::copy_if(r.events.begin(), r.events.end(), std::back_inserter(result),
               [](const ReadEvent& e) { return e.kind == EventKind::kLoss; });
  return result;
}

TEST(RotatedFiles, AreOneSequence) {
  std::vector<Bytes> files = rotated_files();
  ReadResult r = read_bytes(files);
  EXPECT_EQ(r.events.size(), 12U);
  EXPECT_EQ(r.report.missing_records, 0U);
  EXPECT_TRUE(r.report.notes.empty());
  std::reverse(files.begin(), files.end());
  r = read_bytes(files);
  EXPECT_EQ(r.report.missing_records, 0U) << "whatever their order";
  EXPECT_TRUE(r.report.notes.empty()) << "whatever their order";
  Bytes whole;
  for (const Bytes& file : rotated_files()) append(whole, file);
  EXPECT_EQ(read_bytes(std::vector<Bytes>{whole}).report.missing_records, 0U);
}

TEST(RotatedFiles, ThatAreMissingBetweenOthersAreLosses) {
  const ReadResult r = read_bytes(without(rotated_files(), {1, 2}));
  EXPECT_EQ(r.report.missing_records, 4U);
  EXPECT_EQ(losses(r),
            (std::vector<ReadEvent>{{EventKind::kLoss, 3100, 1, 2, 4, 101, LossCause::kMissing}}));
  ASSERT_EQ(r.report.notes.size(), 1U);
  EXPECT_NE(r.report.notes[0].text().find("2 files"), std::string::npos);
}

TEST(RotatedFiles, OneThatIsMissingBetweenOthersIsALoss) {
  std::vector<Bytes> files = without(rotated_files(), {2});
  for (int order = 0; order < 2; ++order) {
    const ReadResult r = read_bytes(files);
    EXPECT_EQ(r.report.missing_records, 2U);
    EXPECT_EQ(
        losses(r),
        (std::vector<ReadEvent>{{EventKind::kLoss, 3100, 1, 4, 2, 101, LossCause::kMissing}}));
    ASSERT_EQ(r.report.notes.size(), 1U);
    EXPECT_NE(r.report.notes[0].text().find("1 files"), std::string::npos);
    std::reverse(files.begin(), files.end());
  }
}

TEST(RotatedFiles, ThatRetentionRemovedAreNotALoss) {
  const ReadResult r = read_bytes(without(rotated_files(), {0, 1, 2}));
  EXPECT_EQ(r.events.size(), 5U);
  EXPECT_EQ(r.report.missing_records, 0U);
  EXPECT_TRUE(r.report.notes.empty());
}

TEST(RotatedFiles, ThatAreCutLoseTheirEnd) {
  std::vector<Bytes> files = rotated_files();
  TraceFileBuilder header;
  header.begin(1, "service", 1);
  files[1].resize(header.bytes.size());
  const ReadResult r = read_bytes(files);
  EXPECT_EQ(r.report.missing_records, 2U);
  EXPECT_EQ(losses(r).size(), 1U);
}

TEST(RotatedFiles, OutsideTheRequestedTimeAreNotALoss) {
  ReadOptions options;
  options.since_ns = 2000;
  options.until_ns = 4000;
  ReadResult r = read_bytes(rotated_files(), options);
  EXPECT_EQ(r.events.size(), 4U);
  EXPECT_EQ(r.report.missing_records, 0U);
  r = read_bytes(without(rotated_files(), {1}), options);
  EXPECT_EQ(r.report.missing_records, 0U) << "the missing records may have preceded it";
}

TEST(RotatedFiles, ThatOverlapInTimeAreCheckedNevertheless) {
  TraceFileBuilder writer;
  writer.begin(1, "service", 0);
  for (std::uint64_t i = 0; i < 100; ++i) {
    writer.extent(1, {100 * i});
    writer.extent(2, {100 * i + 50});
    if (i % 10 == 9) writer.sequence_point(100 * i);
  }
  writer.end();
  const Bytes first = writer.bytes;
  writer.bytes.clear();
  writer.lose(1, 3);
  writer.begin(1, "service", 1);
  writer.extent(3, {200});  // so that it begins before the first one is read
  writer.extent(1, {20000});
  writer.extent(2, {20001});
  writer.end();
  const ReadResult r = read_bytes({first, writer.bytes});
  EXPECT_EQ(r.report.missing_records, 3U);
  EXPECT_EQ(
      losses(r),
      (std::vector<ReadEvent>{{EventKind::kLoss, 20000, 1, 100, 3, 101, LossCause::kMissing}}));
}

// A consumer that dies between a stream's loss and its next records leaves them in two files.
TEST(RotatedFiles, BeginWithTheirOldestLossAlsoIfItsRecordsAreInTheNextOne) {
  TraceFileBuilder writer;
  writer.begin(1, "service", 0);
  writer.clock({90, 90, std::uint64_t{1} << 40, 0, 0});
  writer.extent(2, {300, 400});
  writer.extent(1, std::vector<std::uint64_t>(), drop_record(100, 5, shm::LossCause::kRingFull));
  const Bytes first = writer.bytes;
  writer.bytes.clear();
  writer.begin(1, "service", 1);
  writer.extent(1, {100, 200});
  writer.end();
  for (const Bytes& front : {first, with_index(first)}) {
    const ReadResult r = read_bytes({front, writer.bytes});
    EXPECT_EQ(r.times(), (std::vector<std::uint64_t>{100, 100, 200, 300, 400}));
    EXPECT_EQ(losses(r).size(), 1U);
    EXPECT_EQ(r.events.front().kind, EventKind::kLoss);
    EXPECT_EQ(r.report.missing_records, 0U);
  }
}

TEST(RotatedFiles, BeginWithTheirOldestLossOfNoStream) {
  TraceFileBuilder writer;
  writer.begin(1, "service", 0);
  writer.clock({90, 90, std::uint64_t{1} << 40, 0, 0});
  const LossesBlock told{95, 150, {{0, shm::LossCause::kNoRing, 0, 7}}, {}};
  const std::size_t front_bytes = writer.bytes.size();
  writer.bytes.resize(front_bytes + losses_block_bytes(told));
  write_losses_block(told, std::span(writer.bytes).subspan(front_bytes));
  writer.extent(2, {300, 400});
  const Bytes first = writer.bytes;
  writer.bytes.clear();
  writer.begin(2, "service", 0);
  writer.extent(1, {100, 200});
  writer.end();
  for (const Bytes& front : {first, with_index(first)}) {
    EXPECT_EQ(read_bytes({front, writer.bytes}).times(),
              (std::vector<std::uint64_t>{100, 150, 200, 300, 400}));
  }
}

TEST(SequenceLedger, ReportsASingleMissingRecord) {
  SequenceLedger ledger;
  for (int i = 0; i < 3; ++i) ledger.add_section();
  EXPECT_EQ(ledger.expect(0, 1, 0, 5).count, 0U);
  ledger.seen(0, 1, 10);
  const SequenceGap inside = ledger.expect(0, 1, 11, 6);
  EXPECT_EQ(inside.first, 10U);
  EXPECT_EQ(inside.count, 1U);
  ledger.seen(0, 1, 20);
  // Read before the section that precedes it.
  EXPECT_EQ(ledger.expect(1, 1, 21, 7).count, 0U);
  ledger.seen(1, 1, 30);
  const std::vector<SequenceGap> between = ledger.close(0, true);
  ASSERT_EQ(between.size(), 1U);
  EXPECT_EQ(between[0].first, 20U);
  EXPECT_EQ(between[0].count, 1U);
  EXPECT_TRUE(ledger.close(1, true).empty());
  // And after it.
  EXPECT_EQ(ledger.expect(2, 1, 31, 8).count, 1U);
}

TEST(SequenceLedger, KnowsNothingAfterASectionThatWasNotReadToItsEnd) {
  SequenceLedger ledger;
  for (int i = 0; i < 3; ++i) ledger.add_section();
  EXPECT_EQ(ledger.expect(0, 1, 0, 5).count, 0U);
  ledger.seen(0, 1, 10);
  EXPECT_TRUE(ledger.close(0, true).empty());
  EXPECT_EQ(ledger.expect(1, 1, 12, 5).count, 2U);
  EXPECT_TRUE(ledger.close(1, false).empty());
  EXPECT_EQ(ledger.expect(2, 1, 50, 5).count, 0U);
}

}  // namespace
}  // namespace ringside::trace::testing
