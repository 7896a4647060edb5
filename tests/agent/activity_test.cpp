// Which activity the record of a span has.

#include "libagent/include/ringside/activity.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/span.hpp"
#include "libagent/include/ringside/trace_context.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

constexpr ActivityId kOuter = {1, 2, 3};
constexpr ActivityId kInner = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};

Record record_of(const std::string& name) {
  SegmentReader& segment = own_segment();
  const std::uint32_t id = segment.site(name).id;
  for (const Record& record : segment.data(segment.my_ring())) {
    if (record.code == id) return record;
  }
  ADD_FAILURE() << "no record of " << name;
  return {};
}

PROCESS_TEST(ActivityOfASpan, IsThatOfTheInnermostScope) {
  const int value = 7;
  { RS_SPAN("before"); }
  {
    const Activity outer(kOuter);
    EXPECT_EQ(current_activity(), kOuter);
    RS_SPAN("in outer", RS_ARG(value));
    {
      const Activity inner(kInner, kOuter);
      RS_SPAN("in inner", RS_ARG(value));
    }
    {
      const Activity none(ActivityId{});
      RS_SPAN("in none");
    }
  }
  EXPECT_EQ(current_activity(), ActivityId{});
  constexpr std::uint32_t kSpan = shm::kExtDuration | shm::kExtFromEnd;
  EXPECT_EQ(record_of("before").flags, kSpan);
  const Record outer = record_of("in outer");
  EXPECT_EQ(outer.flags, kSpan | shm::kExtActivity);
  EXPECT_EQ(outer.activity, kOuter);
  EXPECT_EQ(outer.values, std::vector<std::string>{"i32 7"});
  const Record inner = record_of("in inner");
  EXPECT_EQ(inner.flags, kSpan | shm::kExtActivity | shm::kExtRelatedActivity);
  EXPECT_EQ(inner.activity, kInner);
  EXPECT_EQ(inner.related, kOuter);
  EXPECT_EQ(inner.values, std::vector<std::string>{"i32 7"});
  EXPECT_EQ(record_of("in none").flags, kSpan);
}

PROCESS_TEST(ActivityOfASpan, BelongsToItsThread) {
  const Activity activity(kOuter);
  ActivityId other = kInner;
  std::thread([&other] { other = current_activity(); }).join();
  EXPECT_EQ(other, ActivityId{});
}

PROCESS_TEST(ActivityOfASpan, FitsIntoTheSmallestRingWithAllValues) {
  setenv("RINGSIDE_RING_BYTES", "4096", 1);
  const std::string t(64, 't');
  {
    const Activity activity(kInner, kOuter);
    RS_SPAN("largest", t, t, t, t, t, t, t, t, t, t, t, t, t, t, 1LL * 1);
  }
  EXPECT_EQ(record_of("largest").values.size(), 15U);
}

PROCESS_TEST(NewIds, AreNotZeroAndDiffer) {
  const ActivityId first = new_activity_id();
  EXPECT_NE(first, ActivityId{});
  EXPECT_NE(first, new_activity_id());
  EXPECT_NE(new_span_id(), new_span_id());
}

}  // namespace
}  // namespace ringside::test
