#include "tools/query/trace_stats.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/query/stats_report.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::tool {
namespace {

using namespace trace::testing;

constexpr std::uint64_t kRecordBytes = 8 + 4;  // the head and a u32

// 16 records, 7 dropped ones and an unreported gap of 3.
Bytes orders() {
  TraceFileBuilder file;
  file.begin(1, "orders");
  file.stream(1, "reader");
  file.stream(2, "writer");
  file.extent(1, {1000, 1001, 2500, 3000, 3999});
  file.extent(2, {1500, 1501, 1502, 1503, 1504, 1505, 1506, 1507, 1508, 9000},
              drop_record(1400, 7, shm::LossCause::kRingFull));
  file.lose(1, 3);
  file.extent(1, {9500});
  file.end();
  return file.bytes;
}

// 2 records of a service whose name tries to clear the screen.
Bytes quotes() {
  TraceFileBuilder file;
  file.begin(2, "quotes\x1b[2J");
  file.stream(1, "reader");
  file.extent(1, {1200, 1300});
  file.end();
  return file.bytes;
}

struct Counted {
  TraceStats stats;
  trace::ReadReport report;
};

Counted count(std::uint64_t interval_ns) {
  const TemporaryDirectory directory;
  const std::vector<std::string> paths = {directory.write("a.ringtrace", orders()),
                                          directory.write("b.ringtrace", quotes())};
  Counted counted{TraceStats(interval_ns), {}};
  auto set = trace::TraceSet::open(paths, nullptr);
  if (!set) throw std::runtime_error("the trace does not open");
  trace::Event event;
  while (set->next(event)) counted.stats.add(event);
  counted.report = set->report();
  return counted;
}

constexpr auto kFull = static_cast<std::size_t>(trace::LossCause::kRingFull);
constexpr auto kMissing = static_cast<std::size_t>(trace::LossCause::kMissing);

TEST(TraceStats, CountsAllRecordsBytesAndLosses) {
  const Counted counted = count(0);
  EXPECT_EQ(counted.stats.total().records, 18U);
  EXPECT_EQ(counted.stats.total().ring_bytes, 18 * kRecordBytes);
  EXPECT_EQ(counted.stats.total().lost, 10U);
  EXPECT_EQ(counted.stats.total().by_cause[kFull], 7U);
  EXPECT_EQ(counted.stats.total().by_cause[kMissing], 3U);
  EXPECT_EQ(counted.stats.first_ns(), 1000U);
  EXPECT_EQ(counted.stats.last_ns(), 9500U);
  EXPECT_TRUE(counted.stats.intervals().empty());
}

TEST(TraceStats, DistinguishesStreamsOfOneIdByTheirProcess) {
  const Counted counted = count(0);
  const auto streams = counted.stats.streams();
  ASSERT_EQ(streams.size(), 3U);
  EXPECT_EQ(streams[0]->service, "orders");
  EXPECT_EQ(streams[0]->thread_name, "reader");
  EXPECT_EQ(streams[0]->pid, 101U);
  EXPECT_EQ(streams[0]->records, 6U);
  EXPECT_EQ(streams[0]->lost, 3U);
  EXPECT_EQ(streams[0]->by_cause[kMissing], 3U);
  EXPECT_EQ(streams[1]->thread_name, "writer");
  EXPECT_EQ(streams[1]->records, 10U);
  EXPECT_EQ(streams[1]->by_cause[kFull], 7U);
  EXPECT_EQ(streams[2]->service, "quotes\x1b[2J");
  EXPECT_EQ(streams[2]->records, 2U);
}

TEST(TraceStats, SortsStatementsByTheirRecords) {
  const Counted counted = count(0);
  const auto sites = counted.stats.sites();
  ASSERT_EQ(sites.size(), 2U);
  EXPECT_EQ(sites[0]->service, "orders");
  EXPECT_EQ(sites[0]->records, 16U);
  EXPECT_EQ(sites[0]->ring_bytes, 16 * kRecordBytes);
  EXPECT_EQ(sites[1]->records, 2U);
}

TEST(TraceStats, PutsEveryEventIntoItsInterval) {
  const Counted counted = count(1000);
  const auto& intervals = counted.stats.intervals();
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  for (const auto& [begin, tally] : intervals) {
    EXPECT_EQ(begin % 1000, 0U);
    records += tally.records;
    lost += tally.lost;
  }
  EXPECT_EQ(records, 18U);
  EXPECT_EQ(lost, 10U);
  EXPECT_EQ(intervals.at(1000).records, 13U);
  EXPECT_EQ(intervals.at(1000).lost, 7U);
  EXPECT_EQ(intervals.at(3000).records, 2U);
  EXPECT_EQ(intervals.at(9000).lost, 3U);
  EXPECT_EQ(intervals.count(4000), 0U);
}

TEST(TraceStats, CountsLossesByStatementAndWithoutAThread) {
  TraceFileBuilder file;
  file.begin();
  file.extent(1, {1000});
  trace::LossesBlock losses{
      1000, 2000, {{0, shm::LossCause::kNoRing, 0, 4}}, {{1, shm::LossCause::kNoRing, 0, 4}}};
  losses.by_site.push_back({1, shm::LossCause::kTooLarge, 0, 9});
  Bytes block(trace::losses_block_bytes(losses));
  trace::write_losses_block(losses, block);
  append(file.bytes, block);
  file.extent(1, {3000});
  file.end();
  const TemporaryDirectory directory;
  trace::ReadOptions options;
  options.site_losses = true;
  const std::vector<std::string> paths = {directory.write("a.ringtrace", file.bytes)};
  auto set = trace::TraceSet::open(paths, options, nullptr);
  ASSERT_TRUE(set);
  TraceStats stats(1000);
  trace::Event event;
  while (set->next(event)) stats.add(event);
  constexpr auto kNoRing = static_cast<std::size_t>(trace::LossCause::kNoRing);
  EXPECT_EQ(stats.total().lost, 4U) << "once, although they are reported by statement too";
  ASSERT_EQ(stats.streams().size(), 2U);
  EXPECT_EQ(stats.streams()[0]->stream_id, 0U);
  EXPECT_EQ(stats.streams()[0]->by_cause[kNoRing], 4U);
  ASSERT_EQ(stats.sites().size(), 1U);
  EXPECT_EQ(stats.sites()[0]->by_cause[kNoRing], 4U);
  EXPECT_EQ(stats.sites()[0]->lost, 4U) << "records that were cut are not lost";
  EXPECT_EQ(stats.intervals().at(2000).by_cause[kNoRing], 4U);
}

TEST(StatsReport, JsonHoldsTheSameNumbers) {
  const Counted counted = count(1000);
  const auto written =
      nlohmann::json::parse(stats_as_json(counted.stats, counted.report, {.interval_ns = 1000}));
  EXPECT_EQ(written["records"], 18);
  EXPECT_EQ(written["lost_by_cause"], (nlohmann::json{{"ring_full", 7}, {"missing", 3}}));
  EXPECT_EQ(written["files"], 2);
  EXPECT_EQ(written["streams"].size(), 3U);
  EXPECT_EQ(written["streams"][1]["lost_by_cause"]["ring_full"], 7);
  EXPECT_EQ(written["sites"][0]["records"], 16);
  EXPECT_EQ(written["intervals"][0]["from_unix_ns"], 1000);
  EXPECT_EQ(written["interval_ns"], 1000);
}

TEST(StatsReport, TablesShowAllCounts) {
  const Counted counted = count(1000);
  const std::string text =
      stats_as_tables(counted.stats, counted.report, {.top = 1, .utc = true, .interval_ns = 1000});
  EXPECT_NE(text.find("18 records, 216 bytes in the rings, 10 lost (7 ring full, 3 missing)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("from 1970-01-01 00:00:00.000001000 to 1970-01-01 00:00:00.000009500"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("orders 101 [1002 writer]  lost: 7 ring full\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1 further statements (--top 0 shows all)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1970-01-01 00:00:00.000003000\n"), std::string::npos) << text;
  EXPECT_NE(text.find("quotes\\x1b[2J"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(RingBytes, AreThoseOfAllTypes) {
  trace::Site site;
  for (const auto type : {shm::FieldType::u8, shm::FieldType::f80, shm::FieldType::string,
                          shm::array_of(shm::FieldType::u16), shm::FieldType::i64}) {
    trace::Field field;
    field.type = type;
    site.fields.push_back(field);
  }
  site.fields.back().flags = shm::kFieldConstant;
  const std::vector<trace::Value> values = {
      trace::Value::of_unsigned(shm::FieldType::u8, 1), trace::Value::of_f80(1.0L),
      trace::Value::of_text(shm::FieldType::string, "five!"),
      trace::Value::of_array(shm::array_of(shm::FieldType::u16), "abcdef", 3),
      trace::Value::of_signed(shm::FieldType::i64, 1)};
  trace::Record record;
  record.site = &site;
  record.args = values;
  EXPECT_EQ(ring_bytes_of(record), 8U + 1 + 10 + (4 + 5) + (4 + 6));
}

}  // namespace
}  // namespace ringside::tool
