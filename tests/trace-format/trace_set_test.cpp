// The order and the completeness of the events of trace files.
#include "trace-format/reader/trace_set.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using Times = std::vector<std::uint64_t>;

bool in_order(const std::vector<ReadEvent>& events) {
  return std::is_sorted(events.begin(), events.end(), [](const ReadEvent& a, const ReadEvent& b) {
    return std::tuple(a.unix_ns, a.stream_id, a.sequence) <
           std::tuple(b.unix_ns, b.stream_id, b.sequence);
  });
}

TEST(TraceSet, MergesTheStreamsOfASection) {
  TraceFileBuilder file;
  file.begin();
  file.stream(1, "one");
  file.stream(2, "two");
  file.extent(1, {10, 30, 50});
  file.extent(2, {20, 30, 40});
  file.sequence_point(60);
  file.extent(1, {60, 80});
  file.extent(2, {70});
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  EXPECT_EQ(r.times(), (Times{10, 20, 30, 30, 40, 50, 60, 70, 80}));
  EXPECT_TRUE(in_order(r.events));
  EXPECT_EQ(r.report.records, 9U);
  EXPECT_EQ(r.report.late_records, 0U);
  EXPECT_EQ(r.report.sections_without_end, 0U);
  EXPECT_EQ(r.report.damaged_blocks, 0U);
  EXPECT_TRUE(r.report.notes.empty());
  for (const ReadEvent& e : r.events) EXPECT_EQ(e.number, e.sequence);
}

TEST(TraceSet, GivesSegmentAndStream) {
  TraceFileBuilder file;
  file.begin(7, "shop");
  file.stream(5, "worker");
  file.extent(5, {10});
  file.extent(6, {20});
  const TemporaryDirectory directory;
  const std::string path = directory.write("a.ringtrace", file.bytes);
  auto set = TraceSet::open(std::vector<std::string>{path}, nullptr);
  ASSERT_TRUE(set);
  Event event;
  ASSERT_TRUE(set->next(event));
  EXPECT_EQ(event.segment->service, "shop");
  EXPECT_EQ(event.segment->uuid[0], 7);
  EXPECT_EQ(event.segment->file, path);
  EXPECT_EQ(event.stream->thread_name, "worker");
  EXPECT_EQ(event.stream->thread_id, 1005U);
  EXPECT_EQ(event.record.site->fields[0].name, "value");
  ASSERT_TRUE(set->next(event));
  EXPECT_EQ(event.stream->id, 6U) << "a stream without a STREAM block";
  EXPECT_EQ(event.stream->thread_name, "");
  EXPECT_FALSE(set->next(event));
  EXPECT_EQ(set->report().sections_without_end, 1U);
}

TEST(TraceSet, PullsLateExtentsForwardOnce) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 200});
  file.sequence_point(300);
  file.extent(1, {300, 400});
  file.extent(2, {150, 350});  // late
  file.sequence_point(500);
  file.extent(3, {10, 450, 520});  // late, belongs before everything else
  file.extent(1, {510});
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  EXPECT_EQ(r.times(), (Times{10, 100, 150, 200, 300, 350, 400, 450, 510, 520}));
  EXPECT_EQ(r.report.late_records, 0U);
  EXPECT_EQ(r.report.extents, 5U);
}

TEST(TraceSet, UsesDictionaryEntriesAfterTheReadersPlaceForLateExtents) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100});
  file.sequence_point(300);
  // Site 1 of another section's builder, here entry 50, which is known only from here on.
  const Bytes entry = site_entry({.id = 50, .format = "late site"});
  Bytes block(4096);
  block.resize(write_dictionary_block(entry, block));
  append(file.bytes, block);
  SiteTable sites;
  add_site(sites, {.id = 50});
  ExtentEncoder encoder(sites);
  StreamCursor cursor{.stream_id = 9};
  Bytes out(4096);
  const std::string ring = plain_record(50, 20);
  out.resize(encoder.encode(as_bytes(ring), cursor, 300, 0, out).output_bytes);
  append(file.bytes, out);
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  EXPECT_EQ(r.times(), (Times{20, 100}));
}

TEST(TraceSet, SortsUnorderedExtents) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 300, 200, 200, 50});
  file.extent(2, {60, 250});
  file.sequence_point(400);
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  EXPECT_EQ(r.times(), (Times{50, 60, 100, 200, 200, 250, 300}));
  EXPECT_TRUE(in_order(r.events));
  for (const ReadEvent& e : r.events) EXPECT_EQ(e.number, e.sequence);
}

TEST(TraceSet, DeliversAndCountsRecordsLaterThanTheWatermark) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 200});
  file.sequence_point(300);
  file.watermark = 0;  // the writer fails to announce that the next one is late
  file.extent(2, {150, 310});
  file.sequence_point(400);
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  EXPECT_EQ(r.times(), (Times{100, 200, 150, 310}));
  EXPECT_EQ(r.report.late_records, 1U);
}

TEST(TraceSet, MergesSectionsAndFiles) {
  TraceFileBuilder a;
  a.begin(1);
  a.extent(1, {100, 400});
  a.end();
  a.begin(2);
  a.extent(1, {50, 300});
  a.end();
  TraceFileBuilder b;
  b.begin(3);
  b.extent(1, {200, 500});
  const TemporaryDirectory directory;
  const std::string pa = directory.write("a.ringtrace", a.bytes);
  const std::string pb = directory.write("b.ringtrace", b.bytes);
  directory.write("notes.txt", as_bytes("no trace"));
  const ReadResult files = read_all({pb, pa});
  EXPECT_EQ(files.times(), (Times{50, 100, 200, 300, 400, 500}));
  std::vector<std::uint32_t> pids;
  for (const ReadEvent& e : files.events) pids.push_back(e.pid);
  EXPECT_EQ(pids, (std::vector<std::uint32_t>{102, 101, 103, 102, 101, 103}));
  EXPECT_EQ(files.report.files, 2U);
  EXPECT_EQ(files.report.sections, 3U);
  const ReadResult whole = read_all({directory.path()});
  EXPECT_EQ(whole.times(), files.times());
  Bytes both = a.bytes;
  append(both, b.bytes);
  EXPECT_EQ(read_bytes(both).times(), files.times()) << "a concatenation is a trace file";
}

TEST(TraceSet, KeepsTheOrderOfSectionsAtEqualTimes) {
  Bytes bytes;
  for (std::uint8_t section = 1; section <= 3; ++section) {
    // A builder of its own: equal sequence numbers too.
    TraceFileBuilder file;
    file.begin(section);
    file.extent(1, {100, 200});
    file.end();
    append(bytes, file.bytes);
  }
  std::vector<std::uint32_t> pids;
  for (const ReadEvent& e : read_bytes(bytes).events) pids.push_back(e.pid);
  EXPECT_EQ(pids, (std::vector<std::uint32_t>{101, 102, 103, 101, 102, 103}));
}

TEST(TraceSet, ConvertsTimesByEachClockBlock) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 1000});
  file.clock({2000, 2000, std::uint64_t{2} << 40, 0, 0});
  file.extent(1, {2100});
  file.extent(2, {1500, 2200});
  file.end();
  EXPECT_EQ(read_bytes(file.bytes).times(), (Times{100, 1000, 1500, 2200, 2400}));
}

TEST(TraceSet, ReportsLossesInTheirPlace) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100, 200});
  file.extent(1, {300}, drop_record(250, 5, shm::LossCause::kNoConsumer));
  file.extent(2, {260});
  file.lose(1, 3);
  file.extent(1, {400});
  file.extent(1, Times{}, drop_record(500, 2, shm::LossCause::kRingFull));
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  const std::vector<ReadEvent> expected = {
      {EventKind::kRecord, 100, 1, 0, 0, 101, LossCause::kUnknown},
      {EventKind::kRecord, 200, 1, 1, 1, 101, LossCause::kUnknown},
      {EventKind::kRecord, 260, 2, 0, 0, 101, LossCause::kUnknown},
      {EventKind::kLoss, 300, 1, 2, 5, 101, LossCause::kNoConsumer},
      {EventKind::kRecord, 300, 1, 7, 7, 101, LossCause::kUnknown},
      {EventKind::kLoss, 400, 1, 8, 3, 101, LossCause::kMissing},
      {EventKind::kRecord, 400, 1, 11, 11, 101, LossCause::kUnknown},
      {EventKind::kLoss, 500, 1, 12, 2, 101, LossCause::kRingFull},
  };
  EXPECT_EQ(r.events, expected);
  EXPECT_EQ(r.report.dropped_records, 7U);
  EXPECT_EQ(r.report.missing_records, 3U);
}

TEST(TraceSet, SkipsBlocksOfUnknownTypeUnlessTheyAreCritical) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100});
  file.block(200, "from the future");
  file.extent(1, {200});
  file.block(201, "everything is different from here", kBlockCritical);
  file.extent(1, {300});
  const ReadResult r = read_bytes(file.bytes);
  EXPECT_EQ(r.times(), (Times{100, 200}));
  EXPECT_EQ(r.report.skipped_blocks, 2U);
  EXPECT_EQ(r.report.damaged_blocks, 1U) << "ringcat must not report success";
  ASSERT_FALSE(r.report.notes.empty());
  EXPECT_NE(r.report.notes[0].text().find("201"), std::string::npos);
}

TEST(TraceSet, RefusesSectionsForNewerReaders) {
  SectionHeader header;
  header.format_major = 2;
  header.reader_major = 2;
  Bytes bytes(4096);
  bytes.resize(write_header_block(header, bytes));
  ReadResult r = read_bytes(bytes);
  EXPECT_FALSE(r.opened);
  EXPECT_NE(r.error.text().find("2.0"), std::string::npos) << r.error.text();
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {100});
  const std::size_t newer_bytes = bytes.size();
  append(bytes, file.bytes);
  r = read_bytes(bytes);
  EXPECT_TRUE(r.opened);
  EXPECT_EQ(r.times(), Times{100});
  EXPECT_EQ(r.report.damaged_bytes, newer_bytes) << "ringcat must not report success";
}

TEST(TraceSet, NamesFilesThatCannotBeOpened) {
  const TemporaryDirectory directory;
  ReadResult r = read_all({directory.path() + "/absent.ringtrace"});
  EXPECT_FALSE(r.opened);
  EXPECT_NE(r.error.text().find("absent.ringtrace"), std::string::npos);
  r = read_all({directory.path()});
  EXPECT_FALSE(r.opened) << "an empty directory";
  r = read_all({directory.write("empty.ringtrace", {})});
  EXPECT_FALSE(r.opened) << "an empty file";
  r = read_all({directory.write("text.ringtrace", as_bytes("this is not a trace file"))});
  EXPECT_FALSE(r.opened) << "another kind of file";
  EXPECT_FALSE(r.error.what.empty());
}

// Extents of several streams in parallel, with sequence points, late and unordered ones between.
TEST(TraceSet, GivesEverythingInOrderWhateverTheLayout) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    TraceFileBuilder file;
    file.begin();
    std::vector<std::uint64_t> now(5, 1000);
    std::size_t records = 0;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t s = below(now.size());
      Times times;
      for (std::uint64_t n = 1 + below(20); n > 0; --n) {
        now[s] += below(40);
        times.push_back(now[s] - (below(30) == 0 ? below(100) : 0));
      }
      records += times.size();
      file.extent(s, times);
      // A watermark that is valid for most streams: what others write below it is late.
      if (below(4) == 0) {
        Times sorted = now;
        std::sort(sorted.begin(), sorted.end());
        file.sequence_point(std::max(file.watermark, sorted[below(3)]));
      }
    }
    file.end();
    const ReadResult r = read_bytes(file.bytes);
    EXPECT_EQ(r.events.size(), records);
    EXPECT_TRUE(in_order(r.events)) << "seed " << seed;
    EXPECT_EQ(r.report.late_records, 0U);
    EXPECT_EQ(r.report.missing_records, 0U);
    std::map<std::uint64_t, std::vector<std::uint64_t>> seen;
    for (const ReadEvent& e : r.events) {
      EXPECT_EQ(e.number, e.sequence);
      seen[e.stream_id].push_back(e.sequence);
    }
    for (auto& [stream, sequences] : seen) {
      std::sort(sequences.begin(), sequences.end());
      for (std::size_t i = 0; i < sequences.size(); ++i) ASSERT_EQ(sequences[i], i) << stream;
    }
  }
}

TEST(TraceSet, HoldsFewExtentsOfALongFile) {
  TraceFileBuilder file;
  file.begin();
  constexpr std::uint64_t kExtents = 200'000;
  constexpr std::uint64_t kStreams = 8;
  for (std::uint64_t i = 0; i < kExtents; ++i) {
    const std::uint64_t t = 100 * (i / kStreams);
    file.extent(i % kStreams, {t + i % kStreams, t + 50});
    if (i % 1000 == 999) file.sequence_point(t);
  }
  file.end();
  const TemporaryDirectory directory;
  const ReadResult r = read_all({directory.write("long.ringtrace", file.bytes)});
  EXPECT_EQ(r.events.size(), 2 * kExtents);
  EXPECT_TRUE(in_order(r.events));
  EXPECT_EQ(r.report.extents, kExtents);
  EXPECT_LE(r.report.peak_open_extents, 2 * kStreams);
}

}  // namespace
}  // namespace ringside::trace::testing
