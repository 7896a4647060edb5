// The two records of an open span.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/activity.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/span.hpp"
#include "shm-layout/span_id_field.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

constexpr std::uint32_t kEnd = shm::kExtDuration | shm::kExtFromEnd;
constexpr ActivityId kOwnActivity = {1, 2, 3};
constexpr ActivityId kRelated = {4, 5, 6};

// Of all rings; those of beginnings first.
std::vector<Record> records_of_span(const std::string& name) {
  SegmentReader& segment = own_segment();
  std::set<std::uint32_t> ids;
  for (const auto& [id, site] : segment.sites()) {
    if (site.name == name || site.format == name) ids.insert(id);
  }
  std::vector<Record> found;
  for (std::uint32_t ring = 0; ring < segment.rings_used(); ++ring) {
    for (const Record& record : segment.data(ring)) {
      if (ids.contains(record.code)) found.push_back(record);
    }
  }
  std::stable_partition(found.begin(), found.end(), [](const Record& record) {
    return (record.flags & shm::kExtDuration) == 0;
  });
  return found;
}

PROCESS_TEST(OpenSpan, HasARecordAtItsBeginningAndOneAtItsEnd) {
  const std::uint64_t before = rs_clock();
  const int key = 5;
  {
    RS_OPEN_SPAN("outer", RS_ARG(key), RS_NAMED("venue", "XETR"),
                 RS_NAMED("who", std::string("ann")));
    EXPECT_EQ(records_of_span("outer").size(), 1U);
    RS_INFO("within");
  }
  const std::uint64_t after = rs_clock();
  const std::vector<Record> records = records_of_span("outer");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].flags, 0U);
  EXPECT_EQ(records[1].flags, kEnd);
  EXPECT_EQ(records[0].values, records[1].values);
  ASSERT_EQ(records[0].values.size(), 3U);
  EXPECT_EQ(records[0].values[0], "i32 5");
  const std::uint64_t begin = shm::widen_tsc(records[0].tsc, after);
  EXPECT_GE(begin, before);
  EXPECT_EQ(shm::widen_tsc(records[1].tsc, after) - records[1].duration, begin);
  EXPECT_LT(records[0].pos, records_of_span("within").at(0).pos);
  const Site& site = own_segment().site("outer");
  EXPECT_EQ(site.kind, shm::SiteKind::kSpan);
  ASSERT_EQ(site.fields.size(), 4U);
  EXPECT_EQ(site.fields[3].name, shm::kSpanIdField);
  EXPECT_EQ(site.fields[3].type, shm::FieldType::u64);
}

PROCESS_TEST(OpenSpan, HasAnIdOfItsOwn) {
  const auto run = [] {
    for (int i = 0; i < 100; ++i) {
      RS_OPEN_SPAN("many");
    }
  };
  std::thread first(run);
  std::thread second(run);
  run();
  first.join();
  second.join();
  std::vector<std::string> ids;
  for (const Record& record : records_of_span("many")) ids.push_back(record.values.at(0));
  // Each is that of two records.
  EXPECT_EQ(ids.size(), 600U);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 300U);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "u64 0"), 0);
}

PROCESS_TEST(OpenSpan, EndsOnAnotherThreadWithTheActivityOfItsBeginning) {
  const std::string who = "ann";
  std::thread other;
  {
    const Activity activity(kOwnActivity, kRelated);
    RS_NAMED_OPEN_SPAN(DEBUG, span, "moved", RS_ARG(who));
    other = std::thread([span = std::move(span)]() mutable {
      EXPECT_TRUE(span.is_recorded());
      const int status = 7;
      RS_SPAN_SET(span, RS_ARG(status));
      span.end();
      span.end();
    });
    EXPECT_FALSE(span.is_recorded());  // NOLINT(bugprone-use-after-move): it says so itself
  }
  other.join();
  const std::vector<Record> records = records_of_span("moved");
  ASSERT_EQ(records.size(), 2U);
  const std::uint32_t ids = shm::kExtActivity | shm::kExtRelatedActivity;
  EXPECT_EQ(records[0].flags, ids);
  EXPECT_EQ(records[1].flags, ids | kEnd);
  for (const Record& record : records) {
    EXPECT_EQ(record.activity, kOwnActivity);
    EXPECT_EQ(record.related, kRelated);
    EXPECT_EQ(record.values.at(0), "string ann");
  }
  EXPECT_EQ(records[0].values.at(1), records[1].values.at(1));
  EXPECT_EQ(records[1].values.at(2), "i32 7");
}

PROCESS_TEST(OpenSpan, MarksCutTextsInBothRecords) {
  const std::string text(65, 'b');
  { RS_OPEN_SPAN("cut", RS_ARG(text)); }
  const std::vector<Record> records = records_of_span("cut");
  ASSERT_EQ(records.size(), 2U);
  for (const Record& record : records) {
    EXPECT_TRUE(record.is_cut());
    EXPECT_EQ(record.values.at(0), "string " + std::string(64, 'b'));
  }
}

PROCESS_TEST(OpenSpan, EvaluatesArgumentsOnceAndOnlyWhileItIsEnabled) {
  int evaluated = 0;
  set_level(Level::warning);
  { RS_OPEN_SPAN("off", ++evaluated); }
  EXPECT_EQ(evaluated, 0);
  set_level(Level::info);
  {
    RS_OPEN_SPAN("off later", ++evaluated);
    set_level(Level::warning);
  }
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(records_of_span("off later").size(), 2U);
}

PROCESS_TEST(OpenSpan, FitsIntoTheSmallestRing) {
  setenv("RINGSIDE_RING_BYTES", "4096", 1);
  const Activity activity(kOwnActivity, kRelated);
  const std::string t(64, 't');
  { RS_OPEN_SPAN("large", t, t, t, t, t, t, t, t, t, t, t, t, t); }
  const std::vector<Record> records = records_of_span("large");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].values.size(), 14U);
}

PROCESS_TEST(OpenSpan, IsCountedIfTheRingIsFull) {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  RS_INFO("creates the segment");
  std::uint64_t begun = 0;
  while (begun < 1'000'000 && losses(LossCause::any) < 10) {
    ++begun;
    RS_OPEN_SPAN("many");
  }
  EXPECT_EQ(losses(LossCause::any) + records_of_span("many").size(), 2 * begun);
}

// A segment that was replaced does not know the statements that came later.
PROCESS_TEST(OpenSpan, EndsInTheNewSegmentOnAThreadWithARingInTheOldOne) {
  RS_INFO("the ring of this thread");
  SegmentReader& old = own_segment();
  ASSERT_EQ(unlink(status().segment_path.c_str()), 0);
  // The status replaces it.
  SegmentReader next(status().segment_path);
  const auto begin = [] {
    RS_NAMED_OPEN_SPAN(INFO, span, "begun elsewhere");
    return span;
  };
  std::optional<decltype(begin())> span;
  std::thread([&] { span.emplace(begin()); }).join();
  ASSERT_TRUE(span->is_recorded());
  const std::uint32_t id = next.site("begun elsewhere").id;
  span->end();
  std::size_t in_next = 0;
  for (std::uint32_t ring = 0; ring < next.rings_used(); ++ring) {
    for (const Record& record : next.data(ring)) in_next += record.code == id ? 1U : 0U;
  }
  EXPECT_EQ(in_next, 2U);
  for (const Record& record : old.data(0)) EXPECT_NE(record.code, id);
}

}  // namespace
}  // namespace ringside::test
