// The lines that ringcat prints: their form, and that the number of threads does not change them.
#include "tools/text/trace_text.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/trace-format/trace_file_builder.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {
namespace {

using namespace trace::testing;
using shm::FieldType;

// A trace whose records have numbers and texts, some of them very large.
class PrintedTrace {
 public:
  explicit PrintedTrace(std::uint64_t streams = 3) {
    const std::vector<TestSite> list = {
        {.id = 50,
         .fields = {{.type = FieldType::string}, {.type = FieldType::i32}},
         .format = "%s has %d"},
        {.id = 51, .format = "nothing to add"},
        {.id = 52, .fields = {{.type = FieldType::i32}}, .format = "%s of another type"},
        {.id = 53, .fields = {{.type = FieldType::i32}}, .format = "a {:c} b {0}", .style = 2},
        {.id = 54, .fields = {{.type = FieldType::i32}}, .format = "a {:c}, {{}}", .style = 2}};
    Bytes entries;
    for (const TestSite& site : list) {
      add_site(sites_, site);
      append(entries, site_entry(site));
    }
    file_.begin();
    for (std::uint64_t id = 1; id <= streams; ++id) file_.stream(id, "thread" + std::to_string(id));
    Bytes block(entries.size() + 4096);
    block.resize(trace::write_dictionary_block(entries, block));
    append(file_.bytes, block);
  }

  // `records`: ring bytes of sites 50 to 52.
  void extent(std::uint64_t stream_id, const std::string& records) {
    trace::ExtentEncoder encoder(sites_);
    trace::StreamCursor& cursor = cursors_[stream_id];
    cursor.stream_id = stream_id;
    Bytes out(2 * records.size() + 4096);
    out.resize(encoder.encode(as_bytes(records), cursor, 0, 0, out).output_bytes);
    append(file_.bytes, out);
  }

  std::string path() { return directory_.write("a.ringtrace", file_.bytes); }

  struct Printed {
    std::string text;
    bool whole = false;
    std::size_t pieces = 0;
  };
  Printed print(unsigned threads, std::size_t wanted_pieces = SIZE_MAX) {
    Printed printed;
    auto set = trace::TraceSet::open(std::vector<std::string>{path()}, nullptr);
    EXPECT_TRUE(set);
    if (!set) return printed;
    printed.whole =
        write_trace_text(*set, {.utc = true, .threads = threads}, [&](std::string_view piece) {
          if (printed.pieces == wanted_pieces) return false;
          ++printed.pieces;
          printed.text += piece;
          return true;
        });
    return printed;
  }

 private:
  TemporaryDirectory directory_;
  TraceFileBuilder file_;
  trace::SiteTable sites_;
  std::map<std::uint64_t, trace::StreamCursor> cursors_;
};

void add_random_records(PrintedTrace& trace, int extents) {
  std::mt19937_64 any(3);
  std::uint64_t now = 1;
  for (int e = 0; e < extents; ++e) {
    std::string ring;
    for (int i = 0; i < 500; ++i) {
      now += any() % 3'000'000;
      const std::size_t bytes = any() % 3000 == 0 ? 400'000 : any() % 50;
      if (any() % 3 == 0) {
        ring += plain_record(51, now);
      } else {
        ring += plain_record(50, now, raw_text(std::string(bytes, 'x')) + raw(i));
      }
    }
    trace.extent(1 + any() % 3, ring);
  }
}

TEST(TraceText, ShowsTimePlaceLevelThreadAndMessage) {
  PrintedTrace trace;
  trace.extent(1,
               plain_record(50, 1'000'000'007, raw_text("He") + raw(5)) +
                   plain_record(51, 2'123'456'789) +
                   extended_record(50, 2'123'456'790, shm::kExtCut, {}, raw_text("cu") + raw(6)));
  trace.extent(2, drop_record(3'000'000'000, 12, shm::LossCause::kRingFull) +
                      plain_record(52, 3'000'000'000, raw(7)));
  const std::string expected =
      "1970-01-01 00:00:01.000000007 file.cpp:500 INFO [1001 thread1] He has 5\n"
      "1970-01-01 00:00:02.123456789 file.cpp:510 INFO [1001 thread1] nothing to add\n"
      "1970-01-01 00:00:02.123456790 file.cpp:500 INFO [1001 thread1] cu has 6 [cut]\n"
      "1970-01-01 00:00:03.000000000 -:0 LOST [1002 thread2] 12 records: the ring was full\n"
      "1970-01-01 00:00:03.000000000 file.cpp:520 INFO [1002 thread2] <invalid format \"%s of "
      "another "
      "type\": field 0 is i32, the format records string>\n";
  for (const unsigned threads : {1U, 3U}) {
    const auto printed = trace.print(threads);
    EXPECT_EQ(printed.text, expected);
    EXPECT_TRUE(printed.whole);
  }
}

TEST(TraceText, ShowsMessagesInBraceStyle) {
  PrintedTrace trace;
  trace.extent(
      1, plain_record(53, 1, raw(7)) + plain_record(54, 2, raw(7)) + plain_record(54, 3, raw(65)));
  EXPECT_EQ(trace.print(1).text,
            "1970-01-01 00:00:00.000000001 file.cpp:530 INFO [1001 thread1] <invalid format \"a "
            "{:c} b {0}\": format, byte 10: both positions and automatic numbering>\n"
            "1970-01-01 00:00:00.000000002 file.cpp:540 INFO [1001 thread1] a \\x07, {}\n"
            "1970-01-01 00:00:00.000000003 file.cpp:540 INFO [1001 thread1] a A, {}\n");
}

TEST(TraceText, IsTheSameFromAnyNumberOfThreads) {
  PrintedTrace trace;
  add_random_records(trace, 60);
  const auto expected = trace.print(1);
  EXPECT_EQ(std::count(expected.text.begin(), expected.text.end(), '\n'), 30'000);
  for (const unsigned threads : {2U, 3U, 8U}) {
    const auto printed = trace.print(threads);
    EXPECT_TRUE(printed.text == expected.text) << threads << " threads";
    EXPECT_TRUE(printed.whole);
  }
}

TEST(TraceText, NamesTheThreadOfEachLineHoweverManyTakeTurns) {
  constexpr std::uint64_t kStreams = 700;
  PrintedTrace trace(kStreams);
  std::string expected;
  for (std::uint64_t id = 1; id <= kStreams; ++id) {
    trace.extent(id, plain_record(51, id) + plain_record(51, 1000 + id));
  }
  for (const std::uint64_t first : {0U, 1000U}) {
    for (std::uint64_t id = 1; id <= kStreams; ++id) {
      const std::string ns = std::to_string(first + id);
      expected += "1970-01-01 00:00:00." + std::string(9 - ns.size(), '0') + ns +
                  " file.cpp:510 INFO [" + std::to_string(1000 + id) + " thread" +
                  std::to_string(id) + "] nothing to add\n";
    }
  }
  EXPECT_EQ(trace.print(1).text, expected);
  EXPECT_EQ(trace.print(2).text, expected);
}

TEST(TraceText, EndsWhenNoMoreIsWanted) {
  PrintedTrace trace;
  add_random_records(trace, 30);
  const std::string all = trace.print(1).text;
  for (const unsigned threads : {1U, 2U, 4U}) {
    const auto printed = trace.print(threads, 3);
    EXPECT_FALSE(printed.whole);
    EXPECT_EQ(printed.pieces, 3U);
    EXPECT_EQ(printed.text, all.substr(0, printed.text.size()));
  }
}

TEST(WallClockText, ShowsAllNineDigitsOfAnySecond) {
  trace::WallClockText clock(true);
  const auto text = [&clock](std::uint64_t unix_ns) {
    trace::TextSink out;
    clock.append(out, unix_ns);
    return std::string(out.text());
  };
  EXPECT_EQ(text(0), "1970-01-01 00:00:00.000000000");
  EXPECT_EQ(text(1), "1970-01-01 00:00:00.000000001");
  EXPECT_EQ(text(999'999'999), "1970-01-01 00:00:00.999999999");
  EXPECT_EQ(text(1'700'000'000'123'456'789), "2023-11-14 22:13:20.123456789");
  EXPECT_EQ(text(59'000'000'000), "1970-01-01 00:00:59.000000000") << "back in time";
  EXPECT_EQ(text(UINT64_MAX), "2554-07-21 23:34:33.709551615");
  std::mt19937_64 any(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t ns = any() % 1'000'000'000;
    const std::string digits = std::to_string(ns);
    EXPECT_EQ(text(ns), "1970-01-01 00:00:00." + std::string(9 - digits.size(), '0') + digits);
  }
}

}  // namespace
}  // namespace ringside::tool
