// A reader of trace files finds what a builder was given.

#include "tools/interop/trace_builder.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "shm-layout/record_head.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

using shm::FieldType;

struct Found {
  std::uint64_t unix_ns;
  std::string site;
  std::string text;      // the first argument if it is a text
  std::uint64_t number;  // the first argument if it is a number
  std::uint64_t lost;
  bool cut;
};

class Built {
 public:
  Built() : builder(report) {}

  std::uint32_t text_site(const std::string& name) {
    SiteDefinition site;
    site.name = site.format = name;
    site.fields = {{"text", FieldType::string}};
    return builder.add_site(site);
  }
  std::uint32_t number_site(const std::string& name) {
    SiteDefinition site;
    site.name = site.format = name;
    site.fields = {{"n", FieldType::u64}};
    return builder.add_site(site);
  }

  std::vector<Found> read(trace::ReadReport* report_of_reading = nullptr) {
    std::string error;
    const std::vector<std::string> paths = builder.finish(&error);
    EXPECT_EQ(error, "");
    trace::ReadError why;
    auto set = trace::TraceSet::open(paths, &why);
    EXPECT_TRUE(set) << why.text();
    std::vector<Found> found;
    trace::Event event;
    while (set && set->next(event)) {
      if (event.kind == trace::EventKind::kLoss) {
        found.push_back({event.unix_ns, "", "", 0, event.lost, false});
        continue;
      }
      const trace::Record& r = event.record;
      found.push_back({event.unix_ns, r.site->name,
                       r.args.empty() ? "" : std::string(r.args[0].text),
                       r.args.empty() ? 0 : r.args[0].u64, 0, r.cut});
    }
    if (set) {
      EXPECT_EQ(set->report().damaged_bytes, 0U);
      if (report_of_reading != nullptr) *report_of_reading = set->report();
    }
    return found;
  }

  ConversionReport report;
  TraceBuilder builder;
};

TEST(TraceBuilder, GivesTimesOverTheWholeRangeBackExactly) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t site = built.number_site("n");
  const std::vector<std::uint64_t> times{0,
                                         1,
                                         1'000'000'000,
                                         1'700'000'000'123'456'789,
                                         std::uint64_t{1} << 62,
                                         (std::uint64_t{1} << 63) - 1};
  for (const std::uint64_t time : times) {
    built.builder.begin(stream, site, time);
    built.builder.put(time);
    built.builder.end();
  }
  const std::vector<Found> found = built.read();
  ASSERT_EQ(found.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(found[i].unix_ns, times[i]);
    EXPECT_EQ(found[i].number, times[i]);
  }
}

TEST(TraceBuilder, PutsTimesThatGoBackInOrder) {
  Built built;
  const std::uint32_t process = built.builder.add_process({});
  const std::uint32_t streams[] = {built.builder.add_stream(process, {}),
                                   built.builder.add_stream(process, {})};
  const std::uint32_t site = built.number_site("n");
  constexpr std::uint64_t kRecords = 2'000'000;  // more bytes than are pending at a time
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    // Blocks of 1,000 in reverse, with occasional jumps far back.
    const std::uint64_t time = 10'000'000'000 + (i / 1000) * 1000 + (999 - i % 1000) -
                               (i % 500'000 == 499'999 ? 9'000'000'000 : 0);
    built.builder.begin(streams[i % 2], site, time);
    built.builder.put(i);
    built.builder.end();
  }
  trace::ReadReport reading;
  const std::vector<Found> found = built.read(&reading);
  ASSERT_EQ(found.size(), kRecords);
  EXPECT_EQ(reading.late_records, 0U);
  for (std::size_t i = 1; i < found.size(); ++i) {
    ASSERT_LE(found[i - 1].unix_ns, found[i].unix_ns) << i;
  }
}

// Records of all kinds, hours and years apart, not sorted at all.
TEST(TraceBuilder, TakesRecordsInAnyOrderWithoutKeepingThem) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t number = built.number_site("n");
  const std::uint32_t text = built.text_site("t");
  std::mt19937_64 random(7);
  constexpr std::uint64_t kRecords = 1'200'000;
  constexpr std::uint64_t kLast = 4'000'000'000'000'000'000;
  const auto time_of = [](std::uint64_t i) { return kLast / kRecords * (i / 2); };  // two of each
  std::vector<std::uint64_t> order(kRecords);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::uint64_t lost = 0;
  for (const std::uint64_t i : order) {
    if (i % 5 == 0) {
      trace::RecordExtension extension;
      extension.ext_flags = shm::kExtSubstream;
      extension.substream = i;
      built.builder.begin(stream, text, time_of(i), extension);
      built.builder.put_text(std::to_string(i));
    } else {
      built.builder.begin(stream, number, time_of(i));
      built.builder.put(i);
    }
    built.builder.end();
    if (i % 100'000 != 99'999) continue;
    built.builder.lost(stream, time_of(i), i);
    lost += i;
  }
  trace::ReadReport reading;
  const std::vector<Found> found = built.read(&reading);
  // One per write of records; each write is about 16 MiB.
  EXPECT_LE(reading.peak_open_extents, 3U);
  EXPECT_EQ(reading.late_records, 0U);
  std::vector<bool> seen(kRecords);
  std::uint64_t previous_ns = 0;
  for (const Found& one : found) {
    ASSERT_GE(one.unix_ns, previous_ns);
    previous_ns = one.unix_ns;
    lost -= one.lost;
    if (one.lost != 0) continue;
    const std::uint64_t i = one.site == "t" ? std::stoull(one.text) : one.number;
    ASSERT_EQ(one.unix_ns, time_of(i)) << i;
    ASSERT_FALSE(seen.at(i)) << i;
    seen[i] = true;
  }
  EXPECT_EQ(lost, 0U);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(kRecords));
}

TEST(TraceBuilder, LeavesRecordsOfOneTimeAsTheyCame) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t site = built.number_site("n");
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    built.builder.begin(stream, site, 1000 - i / 1000);
    built.builder.put(i);
    built.builder.end();
  }
  const std::vector<Found> found = built.read();
  ASSERT_EQ(found.size(), 10'000U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].number, (9 - i / 1000) * 1000 + i % 1000) << i;
  }
}

TEST(TraceBuilder, CutsWhatNoBlockCanHoldAndReportsIt) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t site = built.text_site("text");
  const std::string large(TraceBuilder::kMostGatheredBytes + 1000, 'x');
  const std::string whole(1000, 'y');
  for (const std::string& text : {large, whole, large}) {
    built.builder.begin(stream, site, 5);
    built.builder.put_text(text);
    built.builder.end();
  }
  const std::vector<Found> found = built.read();
  ASSERT_EQ(found.size(), 3U);
  for (const std::size_t i : {0U, 2U}) {
    EXPECT_TRUE(found[i].cut);
    EXPECT_EQ(found[i].text.size(), shm::kMaxRecordBytes - shm::kExtendedHeadBytes - 4);
    EXPECT_EQ(found[i].text.find_first_not_of('x'), std::string::npos);
  }
  EXPECT_FALSE(found[1].cut);
  EXPECT_EQ(found[1].text, whole);
  ASSERT_EQ(built.report.diagnostics().size(), 1U);
  EXPECT_NE(built.report.diagnostics()[0].text().find("2 records: "), std::string::npos);
}

// The largest record of a service: 1 MiB with its head of 8 bytes and the length of the text.
TEST(TraceBuilder, KeepsTheLargestRecordsWhole) {
  constexpr std::size_t kLargest = shm::kMaxRecordBytes - shm::kHeadBytes - 4;
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t site = built.text_site("text");
  const std::size_t sizes[] = {983'000, 983'020, 983'040, 1'000'000, 1'048'550, kLargest};
  for (const std::size_t size : sizes) {
    built.builder.begin(stream, site, 5);
    built.builder.put_text(std::string(size, 'x'));
    built.builder.end();
  }
  EXPECT_TRUE(built.report.diagnostics().empty());
  built.builder.begin(stream, site, 6);
  built.builder.put_text(std::string(kLargest + 1, 'x'));
  built.builder.end();
  const std::vector<Found> found = built.read();
  ASSERT_EQ(found.size(), std::size(sizes) + 1);
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    EXPECT_EQ(found[i].text.size(), sizes[i]);
    EXPECT_FALSE(found[i].cut) << sizes[i];
  }
  EXPECT_TRUE(found.back().cut);
  EXPECT_EQ(found.back().unix_ns, 6U);
  EXPECT_EQ(built.report.diagnostics().size(), 1U);
}

TEST(TraceBuilder, ReportsLossesInTheirPlace) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t site = built.number_site("n");
  const auto record = [&](std::uint64_t time) {
    built.builder.begin(stream, site, time);
    built.builder.put(time);
    built.builder.end();
  };
  record(10);
  built.builder.lost(stream, 20, 7);
  record(30);
  built.builder.lost(stream, 40, 2);
  const std::vector<Found> found = built.read();
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].lost, 7U);
  EXPECT_EQ(found[3].lost, 2U);
}

TEST(TraceBuilder, KnowsTimesAfterManyLossesHoursApart) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {});
  const std::uint32_t site = built.number_site("n");
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  for (std::uint64_t hour = 0; hour < 20; ++hour) built.builder.lost(stream, hour * kHour, 1);
  built.builder.begin(stream, site, 20 * kHour);
  built.builder.put(std::uint64_t{7});
  built.builder.end();
  const std::vector<Found> found = built.read();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.back().unix_ns, 20 * kHour);
}

TEST(TraceBuilder, KeepsTextsOfAllSizesOfManyThreads) {
  Built built;
  const std::uint32_t site = built.text_site("text");
  constexpr std::size_t kStreams = 300;
  std::vector<std::uint32_t> streams;
  for (std::size_t p = 0; p < 3; ++p) {
    const std::uint32_t process =
        built.builder.add_process({static_cast<std::uint32_t>(p), 0, 0, "many", "", ""});
    for (std::size_t i = 0; i < kStreams / 3; ++i) {
      streams.push_back(built.builder.add_stream(process, {static_cast<std::uint32_t>(i), "t"}));
    }
  }
  std::uint64_t time = 1'000;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 6000; ++i) {
    texts.emplace_back(i * i % 20'011, static_cast<char>('a' + i % 26));
    built.builder.begin(streams[i % kStreams], site, ++time);
    built.builder.put_text(texts.back());
    built.builder.end();
  }
  const std::vector<Found> found = built.read();
  ASSERT_EQ(found.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(found[i].text, texts[i]) << i;
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Threads one after the other, as in a file sorted by thread.
TEST(TraceBuilder, FreesTheMemoryOfThreadsThatOnceHadMuch) {
  Built built;
  const std::uint32_t process = built.builder.add_process({});
  const std::uint32_t site = built.text_site("text");
  const std::string text(std::size_t{512} << 10, 't');
  const std::uint64_t before = resident_bytes();
  for (std::uint64_t thread = 0; thread < 60; ++thread) {
    const std::uint32_t stream =
        built.builder.add_stream(process, {static_cast<std::uint32_t>(thread + 1), ""});
    for (std::uint64_t i = 0; i < 36; ++i) {
      built.builder.begin(stream, site, (thread << 30) + i);
      built.builder.put_text(text);
      built.builder.end();
    }
  }
  // A gigabyte has passed through; sanitizers keep some freed memory.
  EXPECT_LT(resident_bytes() - before, std::uint64_t{500} << 20);
}

TEST(TraceBuilder, ImpossibleLossCountsDoNotStopIt) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {1, ""});
  const std::uint32_t site = built.number_site("n");
  for (std::uint64_t time = 10; time < 50; time += 10) {
    built.builder.lost(stream, time, UINT64_MAX / 3);
    built.builder.begin(stream, site, time);
    built.builder.put(time);
    built.builder.end();
  }
  std::uint64_t lost = 0;
  std::uint64_t records = 0;
  for (const Found& found : built.read()) {
    lost += found.lost;
    if (!found.site.empty()) ++records;
  }
  EXPECT_EQ(lost, std::uint64_t{1} << 62);
  EXPECT_EQ(records, 4U);
  ASSERT_EQ(built.report.diagnostics().size(), 1U);
  EXPECT_NE(built.report.diagnostics()[0].text().find("2^62"), std::string::npos);
}

TEST(TraceBuilder, WritesLossesThatNoRecordFollows) {
  Built built;
  const std::uint32_t stream = built.builder.add_stream(built.builder.add_process({}), {1, ""});
  const std::uint64_t before = resident_bytes();
  constexpr std::uint64_t kLosses = 10'000'000;
  for (std::uint64_t i = 1; i <= kLosses; ++i) built.builder.lost(stream, i * 1000, 2);
  // Each takes 48 bytes until it is written; sanitizers keep some freed memory.
  EXPECT_LT(resident_bytes() - before, std::uint64_t{240} << 20);
  std::uint64_t lost = 0;
  for (const Found& found : built.read()) lost += found.lost;
  EXPECT_EQ(lost, 2 * kLosses);
}

}  // namespace
}  // namespace ringside::tool
