// What spans, counters, histograms and marks write into a ring and into the dictionary.

#include "libagent/include/ringside/span.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/format_style.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

enum class Side { buy = 1, sell };

std::vector<Record> records_named(const std::string& name) {
  SegmentReader& segment = own_segment();
  const std::uint32_t id = segment.site(name).id;
  std::vector<Record> found;
  for (const Record& record : segment.records(0)) {
    if (record.is_data() && record.code == id) found.push_back(record);
  }
  return found;
}

PROCESS_TEST(SpanRecord, HasADurationAndIsStampedAtItsEnd) {
  const std::uint64_t before = rs_clock();
  {
    RS_SPAN("outer");
    RS_INFO("within");
  }
  const std::uint64_t after = rs_clock();
  const std::vector<Record> spans = records_named("outer");
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].flags, shm::kExtDuration | shm::kExtFromEnd);
  const std::uint64_t end = shm::widen_tsc(spans[0].tsc, after);
  EXPECT_LE(end, after);
  EXPECT_GE(end - spans[0].duration, before);
  const std::vector<Record> within = records_named("within");
  ASSERT_EQ(within.size(), 1U);
  EXPECT_GE(shm::widen_tsc(within[0].tsc, after), end - spans[0].duration);
  EXPECT_LT(within[0].pos, spans[0].pos);
}

PROCESS_TEST(SpanRecord, HasTheFieldsOfAnEvent) {
  int key = 5;
  const std::string name = "ann";
  {
    RS_SPAN("get", RS_ARG(key), RS_NAMED("who", name), Side::sell, RS_NAMED("venue", "XETR"),
            RS_NAMED("ratio", 0.5 * key));
    key = 6;
  }
  const std::vector<Record> spans = records_named("get");
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].values, (Values{"i32 5", "string ann", "enum 2", "f64 2.5"}));
  const Site& site = own_segment().site("get");
  EXPECT_EQ(site.kind, shm::SiteKind::kSpan);
  EXPECT_EQ(site.name, "get");
  EXPECT_EQ(site.level, shm::Level::kInfo);
  ASSERT_EQ(site.fields.size(), 5U);
  EXPECT_EQ(site.fields[1].name, "who");
  EXPECT_EQ(site.fields[3].constant, "string XETR");
}

// One function records all spans whose values have the same sizes.
PROCESS_TEST(SpanRecord, HasValuesOfEachSize) {
  const long double real = 0.5L;
  __extension__ const __int128 wide = -7;
  for (std::uint8_t i = 0; i < 2; ++i) {
    const std::int64_t number = i;
    const std::int16_t two = i;
    RS_SPAN("sizes", RS_ARG(i), RS_ARG(two), RS_NAMED("four", i + 4U), RS_NAMED("eight", 8.25 * i),
            RS_ARG(wide), RS_NAMED("last", i == 1));
    RS_SPAN("extended real", RS_NAMED("one", i == 1), RS_ARG(real), RS_ARG(number));
    RS_SPAN("fifteen", i + 0, i, i, i, i, i, i, i, i, i, i, i, i, i, number);
    RS_SPAN("sixteen", i + 0, i, i, i, i, i, i, i, i, i, i, i, i, i, i, number);
  }
  EXPECT_EQ(records_named("sizes").at(1).values,
            (Values{"u8 1", "i16 1", "u32 5", "f64 8.25", "i128 0xfffffffffffffffffffffffffffffff9",
                    "bool 1"}));
  EXPECT_EQ(records_named("extended real").at(1).values, (Values{"bool 1", "f80 0.5", "i64 1"}));
  Values expected(14, "u8 1");
  expected[0] = "i32 1";
  expected.push_back("i64 1");
  EXPECT_EQ(records_named("fifteen").at(1).values, expected);
  expected.insert(expected.end() - 1, "u8 1");
  EXPECT_EQ(records_named("sixteen").at(1).values, expected);
}

PROCESS_TEST(SpanRecord, KeepsCopiesOfTextsUpToABound) {
  std::string text(64, 'a');
  std::string longer(65, 'b');
  // Each of these characters takes two bytes: the 32nd ends at the bound, or is cut in two.
  std::string wide = "c";
  for (int i = 0; i < 40; ++i) wide += "\xC3\xA4";
  {
    RS_SPAN("exact", RS_ARG(text));
    RS_SPAN("longer", RS_ARG(longer));
    RS_SPAN("wide", RS_ARG(wide));
    text.assign(64, 'x');
    longer.assign(65, 'x');
    wide.clear();
  }
  const Record exact = records_named("exact").at(0);
  EXPECT_EQ(exact.values, Values{"string " + std::string(64, 'a')});
  EXPECT_FALSE(exact.is_cut());
  const Record cut = records_named("longer").at(0);
  EXPECT_EQ(cut.values, Values{"string " + std::string(64, 'b')});
  EXPECT_TRUE(cut.is_cut());
  const Record whole = records_named("wide").at(0);
  std::string expected = "string c";
  for (int i = 0; i < 31; ++i) expected += "\xC3\xA4";
  EXPECT_EQ(whole.values, Values{expected});
}

PROCESS_TEST(SpanRecord, SeveralInOneScopeEndInTheOppositeOrder) {
  {
    RS_SPAN("first");
    RS_SPAN("second");
  }
  EXPECT_GT(records_named("first").at(0).pos, records_named("second").at(0).pos);
}

PROCESS_TEST(SpanRecord, EndsWhereItIsToldTo) {
  {
    RS_NAMED_SPAN(WARNING, early, "early", RS_NAMED("n", status().segment_path.empty()));
    early.end();
    RS_INFO("after the end");
    early.end();
  }
  ASSERT_EQ(records_named("early").size(), 1U);
  EXPECT_LT(records_named("early")[0].pos, records_named("after the end").at(0).pos);
  EXPECT_EQ(own_segment().site("early").level, shm::Level::kWarning);
}

PROCESS_TEST(SpanRecord, IsNotWrittenIfItIsCancelled) {
  RS_INFO("creates the segment");
  {
    RS_NAMED_SPAN(INFO, cancelled, "cancelled");
    cancelled.cancel();
  }
  EXPECT_TRUE(records_named("cancelled").empty());
}

PROCESS_TEST(SpanRecord, EvaluatesArgumentsOnlyWhileItIsEnabled) {
  int evaluated = 0;
  set_level(Level::warning);
  { RS_SPAN("off", ++evaluated); }
  EXPECT_EQ(evaluated, 0);
  set_level(Level::info);
  {
    RS_SPAN("off later", ++evaluated);
    set_level(Level::warning);
  }
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(records_named("off later").size(), 1U);
}

template <class T>
void add_to(T& span, const std::string& text) {
  RS_SPAN_SET(span, RS_NAMED("text", text), RS_NAMED("size", text.size()));
}

PROCESS_TEST(SpanRecord, TakesValuesBeforeItEnds) {
  const int key = 5;
  {
    RS_NAMED_SPAN(INFO, span, "set", RS_ARG(key), RS_NAMED("venue", "XETR"));
    RS_SPAN_SET(span, RS_NAMED("status", "lost"), RS_NAMED("n", key * 2));
    add_to(span, "abc");
  }
  { RS_NAMED_SPAN(INFO, without, "set", RS_ARG(key), RS_NAMED("venue", "XETR")); }
  std::vector<std::string> names;
  for (const auto& [id, site] : own_segment().sites()) {
    if (site.name != "set" || site.fields.size() != 4) continue;
    for (const Field& field : site.fields) names.push_back(field.name);
    EXPECT_EQ(site.kind, shm::SiteKind::kSpan);
  }
  EXPECT_EQ(names, (Values{"key", "venue", "status", "n", "key", "venue", "text", "size"}));
  SegmentReader& segment = own_segment();
  const std::vector<Record> records = segment.data(segment.my_ring());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].values, (Values{"i32 5", "string abc", "u64 3"}));
  EXPECT_EQ(records[1].values, (Values{"i32 5"}));
}

PROCESS_TEST(SpanRecord, TakesNoValuesIfItIsNotRecorded) {
  set_level(Level::warning);
  int evaluated = 0;
  {
    RS_NAMED_SPAN(INFO, span, "not set");
    RS_SPAN_SET(span, RS_NAMED("n", ++evaluated));
  }
  EXPECT_EQ(evaluated, 0);
}

PROCESS_TEST(SpanRecord, IsTheFirstRecordOfItsThread) {
  { RS_SPAN("first of all", RS_NAMED("text", std::string("value"))); }
  EXPECT_EQ(records_named("first of all").at(0).values, Values{"string value"});
}

PROCESS_TEST(SpanRecord, WithANumberIsTheFirstRecordOfItsThread) {
  const int number = static_cast<int>(getpid());
  { RS_SPAN("first with a number", RS_ARG(number)); }
  const std::vector<Record> spans = records_named("first with a number");
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].values, Values{"i32 " + std::to_string(number)});
  EXPECT_EQ(spans[0].flags, shm::kExtDuration | shm::kExtFromEnd);
}

PROCESS_TEST(SpanRecord, FitsIntoTheSmallestRing) {
  setenv("RINGSIDE_RING_BYTES", "4096", 1);
  const std::string t(64, 't');
  { RS_SPAN("large", t, t, t, t, t, t, t, t, t, t, t, t, t, t); }
  EXPECT_EQ(records_named("large").at(0).values.size(), 14U);
}

PROCESS_TEST(SpanRecord, IsCountedIfTheRingIsFull) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  RS_INFO("creates the segment");
  for (int i = 0; i < 1'000'000 && losses(LossCause::any) == 0; ++i) {
    RS_SPAN("many");
  }
  EXPECT_GT(losses(LossCause::any), 0U);
}

PROCESS_TEST(HistogramRecord, IsAnEventOfItsOwnKind) {
  const double us = 12.5;
  const int shard = 3;
  RS_HISTOGRAM("latency_us", RS_ARG(us), RS_ARG(shard));
  EXPECT_EQ(last_values(), (Values{"f64 12.5", "i32 3"}));
  const Site& site = own_segment().site("latency_us");
  EXPECT_EQ(site.kind, shm::SiteKind::kHistogram);
  EXPECT_EQ(site.level, shm::Level::kInfo);
  EXPECT_EQ(site.name, "latency_us");
  EXPECT_EQ(site.fields.at(0).name, "us");
}

PROCESS_TEST(HistogramRecord, IsNotRecordedBelowTheLevel) {
  int evaluated = 0;
  set_level(Level::warning);
  RS_HISTOGRAM("off", RS_NAMED("n", ++evaluated));
  EXPECT_EQ(evaluated, 0);
}

PROCESS_TEST(CounterRecord, IsAnEventOfItsOwnKind) {
  const std::uint32_t depth = 7;
  RS_COUNTER("queue", RS_ARG(depth));
  EXPECT_EQ(last_values(), Values{"u32 7"});
  EXPECT_EQ(own_segment().site("queue").kind, shm::SiteKind::kCounter);
  RS_MARK("elected", RS_ARG(depth));
  EXPECT_EQ(own_segment().site("elected").kind, shm::SiteKind::kEvent);
}

}  // namespace
}  // namespace ringside::test
