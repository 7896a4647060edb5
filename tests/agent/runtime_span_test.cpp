// Spans and counters that are registered at run time.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/runtime_calls.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

std::int32_t record_span(std::int32_t handle, std::uint64_t begin,
                         const std::vector<rs_value>& values) {
  return rs_span_record(handle, begin, values.data(), static_cast<std::uint32_t>(values.size()));
}

PROCESS_TEST(RuntimeSpan, HasADurationAndIsStampedAtItsEnd) {
  const std::int32_t handle =
      registered(RS_FORMAT_SPAN, "get", "key,bytes", {RS_VALUE_TEXT, RS_VALUE_I64});
  ASSERT_GT(handle, 0);
  const std::uint64_t before = rs_clock();
  const std::uint64_t begin = rs_span_begin(handle);
  EXPECT_GE(begin, before);
  EXPECT_EQ(record_span(handle, begin, {text("alpha"), integer(RS_VALUE_I64, 7)}), 1);
  const std::uint64_t after = rs_clock();
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].flags, shm::kExtDuration | shm::kExtFromEnd);
  EXPECT_EQ(records[0].values, (RecordValues{"string alpha", "i64 7"}));
  const std::uint64_t end = shm::widen_tsc(records[0].tsc, after);
  EXPECT_LE(end, after);
  EXPECT_EQ(end - records[0].duration, begin);
  const Site& site = own_segment().site("get");
  EXPECT_EQ(site.kind, shm::SiteKind::kSpan);
  EXPECT_EQ(site.name, "get");
  EXPECT_EQ(site.fields[1].name, "bytes");
}

PROCESS_TEST(RuntimeSpan, EndsByAnotherStatementThanItBegan) {
  const std::int32_t first = registered(RS_FORMAT_SPAN, "get", "", {});
  const std::int32_t second = registered(RS_FORMAT_SPAN, "get", "bytes", {RS_VALUE_I64});
  EXPECT_EQ(record_span(second, rs_span_begin(first), {integer(RS_VALUE_I64, 7)}), 1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"i64 7"}}));
}

PROCESS_TEST(RuntimeSpan, IsNotRecordedIfItBeganSwitchedOff) {
  const std::int32_t handle = registered(RS_FORMAT_SPAN, "get", "", {});
  ASSERT_EQ(rs_init(), 1);
  rs_set_level(RS_LEVEL_ERROR);
  const std::uint64_t begin = rs_span_begin(handle);
  EXPECT_EQ(begin, 0U);
  rs_set_level(RS_LEVEL_INFO);
  EXPECT_EQ(record_span(handle, begin, {}), 0);
  EXPECT_EQ(record_span(handle, rs_span_begin(handle), {}), 1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{}}));
}

PROCESS_TEST(RuntimeSpan, OfAFutureBeginningHasNoDuration) {
  const std::int32_t handle = registered(RS_FORMAT_SPAN, "get", "", {});
  EXPECT_EQ(record_span(handle, UINT64_MAX, {}), 1);
  ASSERT_EQ(own_segment().data(0).size(), 1U);
  EXPECT_EQ(own_segment().data(0)[0].duration, 0U);
}

PROCESS_TEST(RuntimeSpan, CutsLongTexts) {
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  const std::int32_t handle =
      registered(RS_FORMAT_SPAN, "get", "", {RS_VALUE_TEXT, RS_VALUE_I32, RS_VALUE_TEXT});
  const std::string letters(100'000, 'c');
  EXPECT_EQ(record_span(handle, rs_span_begin(handle),
                        {text(letters), integer(RS_VALUE_I32, 2), text(letters)}),
            1);
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].flags, shm::kExtDuration | shm::kExtFromEnd | shm::kExtCut);
  EXPECT_EQ(records[0].values[1], "i32 2");
}

// The head of a span is longer than that of a cut record.
PROCESS_TEST(RuntimeSpan, IsRefusedWithMoreNumbersThanARecordHas) {
  setenv("RINGSIDE_RING_BYTES", "4096", 1);
  constexpr std::size_t kMost = (1024 - 28) / 8;
  for (std::size_t count = kMost - 1; count < kMost + 4; ++count) {
    const std::int32_t handle =
        registered(RS_FORMAT_SPAN, "many", "", FieldTypeCodes(count, RS_VALUE_U64));
    ASSERT_GT(handle, 0);
    const std::vector<rs_value> values(count, integer(RS_VALUE_U64, 1));
    const std::uint64_t lost = rs_losses(RS_LOSS_ANY);
    record_span(handle, rs_clock(), values);
    EXPECT_EQ(rs_losses(RS_LOSS_ANY) - lost, count <= kMost ? 0U : 1U) << count;
  }
  EXPECT_EQ(own_segment().data(0).size(), 2U);
}

PROCESS_TEST(RuntimeSpan, IsRefusedAsAnotherRecordAndReversed) {
  const std::int32_t span = registered(RS_FORMAT_SPAN, "get", "x", {RS_VALUE_I32});
  const std::int32_t event = registered(RS_FORMAT_EVENT, "get", "x", {RS_VALUE_I32});
  EXPECT_EQ(record_values(span, {integer(RS_VALUE_I32, 1)}), RS_REFUSED_SPAN);
  EXPECT_EQ(record_span(event, 1, {integer(RS_VALUE_I32, 1)}), RS_REFUSED_SPAN);
  EXPECT_EQ(rs_span_begin(event), 0U);
  EXPECT_EQ(rs_span_begin(0), 0U);
  EXPECT_EQ(record_span(0, 1, {}), RS_REFUSED_HANDLE);
  EXPECT_EQ(record_span(span, 1, {}), RS_REFUSED_COUNT);
  EXPECT_EQ(rs_span_record(span, 1, nullptr, 1), RS_REFUSED_POINTER);
  EXPECT_EQ(record_span(span, 1, {text("x")}), RS_REFUSED_VALUE);
  EXPECT_EQ(registered(RS_FORMAT_SPAN, "", "", {}), RS_REFUSED_FORMAT);
  EXPECT_EQ(record_values(event, {integer(RS_VALUE_I32, 1)}), 1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"i32 1"}}));
}

PROCESS_TEST(RuntimeSpan, CounterIsAnOrdinaryRecord) {
  const std::int32_t handle = registered(RS_FORMAT_COUNTER, "queue", "depth", {RS_VALUE_I64});
  EXPECT_EQ(record_values(handle, {integer(RS_VALUE_I64, 5)}), 1);
  EXPECT_EQ(recorded_values(), (std::vector<RecordValues>{{"i64 5"}}));
  EXPECT_EQ(own_segment().data(0)[0].flags, 0U);
  EXPECT_EQ(own_segment().site("queue").kind, shm::SiteKind::kCounter);
}

}  // namespace
}  // namespace ringside::test
