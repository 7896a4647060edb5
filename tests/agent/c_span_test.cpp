// Spans, counters and histograms of the C front end.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/activity.hpp"
#include "libagent/include/ringside/ringside.h"
#include "libagent/include/ringside/span.h"
#include "shm-layout/span_id_field.hpp"
#include "tests/agent/c_spans.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Texts = std::vector<std::string>;

Record span_of_c(const std::string& name) {
  SegmentReader& segment = own_segment();
  const std::uint32_t id = segment.site(name).id;
  for (const Record& record : segment.data(0)) {
    if (record.code == id) return record;
  }
  ADD_FAILURE() << "no record of " << name;
  return {};
}

std::size_t records_of_c() {
  return own_segment().data(0).size();
}

PROCESS_TEST(CSpan, HasADurationAndTheValuesOfItsBeginning) {
  const std::uint64_t before = rs_clock();
  c_span_of_get(7, "ann");
  const std::uint64_t after = rs_clock();
  const Record span = span_of_c("c.get");
  EXPECT_EQ(span.flags, shm::kExtDuration | shm::kExtFromEnd);
  EXPECT_EQ(span.values, (Texts{"u32 7", "string ann"}));
  const std::uint64_t end = shm::widen_tsc(span.tsc, after);
  EXPECT_LE(end, after);
  EXPECT_GE(end - span.duration, before);
  EXPECT_LT(span_of_c("c within %u").pos, span.pos);
  const Site& site = own_segment().site("c.get");
  EXPECT_EQ(site.kind, shm::SiteKind::kSpan);
  EXPECT_EQ(site.level, shm::Level::kWarning);
  ASSERT_EQ(site.fields.size(), 3U);
  EXPECT_EQ(site.fields[1].name, "who");
  EXPECT_EQ(site.fields[2].constant, "string XETR");
}

PROCESS_TEST(COpenSpan, HasARecordAtItsBeginningAndOneAtItsEnd) {
  const Activity activity(ActivityId{1, 2, 3});
  c_open_span(7, "ann");
  c_open_span_without_end();
  const std::uint64_t now = rs_clock();
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 4U);
  const Record& begin = records[0];
  const Record& end = records[2];
  EXPECT_EQ(records[1].values, Texts{"u32 8"});
  EXPECT_EQ(begin.flags, shm::kExtActivity);
  EXPECT_EQ(end.flags, shm::kExtActivity | shm::kExtDuration | shm::kExtFromEnd);
  EXPECT_EQ(begin.activity, end.activity);
  EXPECT_EQ(begin.values, end.values);
  ASSERT_EQ(begin.values.size(), 3U);
  EXPECT_EQ(begin.values[1], "string ann");
  EXPECT_EQ(shm::widen_tsc(end.tsc, now) - end.duration, shm::widen_tsc(begin.tsc, now));
  EXPECT_EQ(own_segment().site("c.open").fields.at(2).name, shm::kSpanIdField);
  EXPECT_EQ(records[3].code, own_segment().site("c.unended").id);
  EXPECT_NE(records[3].values.at(0), begin.values[2]);
}

PROCESS_TEST(CSpan, IsTheSameRecordAsInCpp) {
  c_span_of_get(7, "ann");
  const unsigned key = 7;
  const char* const who = "ann";
  {
    RS_NAMED_SPAN(WARNING, request, "cpp.get", RS_ARG(key), RS_NAMED("who", who),
                  RS_NAMED("venue", "XETR"));
  }
  const Site& of_c = own_segment().site("c.get");
  const Site& of_cpp = own_segment().site("cpp.get");
  ASSERT_EQ(of_c.fields.size(), of_cpp.fields.size());
  for (std::size_t i = 0; i < of_c.fields.size(); ++i) {
    EXPECT_EQ(of_c.fields[i].type, of_cpp.fields[i].type) << i;
    EXPECT_EQ(of_c.fields[i].name, of_cpp.fields[i].name) << i;
  }
  EXPECT_EQ(span_of_c("c.get").values, span_of_c("cpp.get").values);
  EXPECT_EQ(span_of_c("c.get").bytes, span_of_c("cpp.get").bytes);
  EXPECT_EQ(span_of_c("c.get").flags, span_of_c("cpp.get").flags);
}

PROCESS_TEST(CSpan, KeepsTheTypesOfItsValues) {
  c_span_of_types("text");
  EXPECT_EQ(span_of_c("c.types").values,
            (Texts{"i32 5", "bool 1", "i32 99", "i16 -300", "u8 200", "f32 0.5", "f64 0.25",
                   "f80 2.5", "i64 -3", "u64 4", "pointer 0x10", "string text",
                   "i128 0x00000000000000000000000000000007"}));
}

PROCESS_TEST(CSpan, CutsTextsAtTheBeginningOfACharacter) {
  c_span_of_get(1, std::string(64, 'a').c_str());
  EXPECT_FALSE(span_of_c("c.get").is_cut());
  EXPECT_EQ(span_of_c("c.get").values[1], "string " + std::string(64, 'a'));
}

PROCESS_TEST(CSpan, MarksTextsThatAreCut) {
  std::string wide = "c";
  for (int i = 0; i < 40; ++i) wide += "\xC3\xA4";
  c_span_of_get(1, wide.c_str());
  EXPECT_TRUE(span_of_c("c.get").is_cut());
  EXPECT_EQ(span_of_c("c.get").values[1], "string " + wide.substr(0, 63));
}

PROCESS_TEST(CSpan, RecordsANullTextAsItsName) {
  c_span_of_get(1, nullptr);
  EXPECT_EQ(span_of_c("c.get").values[1], "string (null)");
}

PROCESS_TEST(CSpan, EndsWhereItIsTold) {
  c_spans_that_overlap();
  EXPECT_LT(span_of_c("c.first").pos, span_of_c("c.second").pos);
}

PROCESS_TEST(CSpan, IsRecordedOnceIfItEndsTwice) {
  c_span_that_ends_twice();
  EXPECT_EQ(records_of_c(), 1U);
}

PROCESS_TEST(CSpan, IsNotWrittenIfItIsCancelled) {
  c_span_that_is_cancelled();
  EXPECT_EQ(records_of_c(), 1U);
}

PROCESS_TEST(CSpan, EvaluatesValuesOnlyWhileItIsEnabled) {
  int count = 0;
  rs_set_level(RS_LEVEL_WARNING);
  EXPECT_EQ(c_span_of_counted(&count), 0);
  rs_set_level(RS_LEVEL_INFO);
  EXPECT_EQ(c_span_of_counted(&count), 1);
  EXPECT_EQ(span_of_c("c.evaluated").values, Texts{"i32 1"});
}

PROCESS_TEST(CNumbers, HaveKindsOfTheirOwn) {
  c_record_numbers(7, 0.5);
  EXPECT_EQ(own_segment().site("c.queue").kind, shm::SiteKind::kCounter);
  EXPECT_EQ(own_segment().site("c.latency_us").kind, shm::SiteKind::kHistogram);
  EXPECT_EQ(own_segment().site("c.gated").kind, shm::SiteKind::kHistogram);
  EXPECT_EQ(own_segment().site("c.elected").kind, shm::SiteKind::kEvent);
  EXPECT_EQ(span_of_c("c.queue").values, Texts{"u32 7"});
  EXPECT_EQ(span_of_c("c.latency_us").values, (Texts{"f64 0.5", "u32 7"}));
}

PROCESS_TEST(CNumbers, HistogramsAreGated) {
  for (int i = 0; i < 4; ++i) c_record_numbers(1, 0.5);
  EXPECT_EQ(records_of_c(), 4U * 3 + 2);
}

}  // namespace
}  // namespace ringside::test
