#include "tools/interop/viewers/spooled_lanes.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tools/interop/span_lanes.hpp"

namespace {

using ringside::tool::OutputBytes;
using ringside::tool::SpanLanes;
using ringside::tool::SpooledLanes;

TEST(SpooledLanes, GivesEachLanesTextInOrderHoweverMuchItIs) {
  SpooledLanes lanes;
  std::array<std::string, 3> expected;
  const std::string line(100'000, 'x');
  for (std::size_t i = 0; i < 800; ++i) {  // 80 MB, of which two times 32 MiB are spilled
    const std::string text = std::to_string(i) + line;
    lanes.put(i % 3 * 2, text);
    expected[i % 3] += text;
  }
  for (std::size_t lane = 0; lane < 6; ++lane) {
    std::string found;
    OutputBytes output([&found](std::span<const std::byte> bytes) {
      found.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return true;
    });
    EXPECT_TRUE(lanes.move_to(lane, output));
    EXPECT_TRUE(output.flush());
    EXPECT_TRUE(found == (lane % 2 == 0 ? expected[lane / 2] : std::string())) << lane;
  }
}

TEST(SpanLanes, PutsSpansThatOverlapBesideEachOther) {
  SpanLanes<int> lanes;
  // The lane and the spans that enclose this one there.
  const auto open = [&lanes](std::uint64_t end, int what) {
    const auto place = lanes.place_of(end, 0);
    const int around = place.parent == nullptr ? 0 : place.parent->what;
    lanes.open(place, what);
    return std::pair(place.lane, around);
  };
  EXPECT_EQ(open(100, 1), std::pair(std::size_t{0}, 0));
  EXPECT_EQ(open(50, 2), std::pair(std::size_t{0}, 1));
  EXPECT_EQ(open(70, 3), std::pair(std::size_t{1}, 0));
  EXPECT_EQ(open(60, 4), std::pair(std::size_t{1}, 3));
  std::string closed;
  lanes.close(70,
              [&closed](std::size_t, const auto& span) { closed += std::to_string(span.what); });
  EXPECT_EQ(closed, "243");
  ASSERT_NE(lanes.innermost(0), nullptr);
  EXPECT_EQ(lanes.innermost(0)->what, 1);
}

TEST(SpanLanes, KeepsSubstreamsApart) {
  SpanLanes<int> lanes;
  const auto open = [&lanes](std::uint64_t end, std::uint64_t substream, int what) {
    const auto place = lanes.place_of(end, substream);
    const int around = place.parent == nullptr ? 0 : place.parent->what;
    lanes.open(place, what);
    return std::pair(lanes.name_of(place.lane), around);
  };
  EXPECT_EQ(open(100, 7, 1), std::pair(std::string("substream 7"), 0));
  EXPECT_EQ(open(90, 8, 2), std::pair(std::string("substream 8"), 0));
  EXPECT_EQ(open(80, 7, 3), std::pair(std::string("substream 7"), 1));
  EXPECT_EQ(open(85, 7, 4), std::pair(std::string("substream 7 overlapping 2"), 0));
  EXPECT_EQ(open(70, 0, 5), std::pair(std::string(), 0));
  EXPECT_EQ(lanes.innermost(8)->what, 2);
  EXPECT_EQ(lanes.innermost(9), nullptr);
  const auto any = [](int) { return true; };
  EXPECT_EQ(lanes.around(82, 7, any)->what, 4);
  EXPECT_EQ(lanes.around(95, 7, any)->what, 1);
  EXPECT_EQ(lanes.around(95, 8, any), nullptr);
}

TEST(SpanLanes, ServesManySubstreamsWithFewLanes) {
  SpanLanes<int> lanes;
  std::size_t highest = 0;
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    lanes.close(i * 10, [](std::size_t, const auto&) {});
    const std::size_t log_lane = lanes.lane_for(i);
    const auto place = lanes.place_of(i * 10 + 25, i);  // three are open at once
    EXPECT_EQ(place.lane, log_lane);
    EXPECT_EQ(place.parent, nullptr);
    lanes.open(place, 0);
    EXPECT_EQ(lanes.lane_for(i), place.lane);
    EXPECT_EQ(lanes.place_of(i * 10 + 20, i).lane, place.lane);
    highest = std::max(highest, place.lane);
  }
  EXPECT_EQ(highest, SpanLanes<int>::kMostOwnLanes + 2);
  EXPECT_EQ(lanes.name_of(highest), "row 259");
}

TEST(SpanLanes, CutsSpansOfTooManySideBySide) {
  SpanLanes<int> lanes;
  for (std::uint64_t i = 0; i < SpanLanes<int>::kMostLanes; ++i) {
    const auto place = lanes.place_of(1000 + i, 0);
    EXPECT_FALSE(place.was_cut);
    lanes.open(place, 0);
  }
  const auto place = lanes.place_of(5000, 0);
  EXPECT_TRUE(place.was_cut);
  EXPECT_EQ(place.end, 1000 + SpanLanes<int>::kMostLanes - 1);
}

}  // namespace
