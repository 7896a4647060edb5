// Which spans a report keeps, and how it nests them.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/report/longest_spans.hpp"
#include "tools/report/path_tree.hpp"
#include "tools/report/sampled_runs.hpp"
#include "tools/report/span_stack.hpp"
#include "tools/report/time_grid.hpp"

namespace ringside::tool {
namespace {

struct Placed {
  SpanStack::Place place;
  std::uint32_t path = 0;
};

Placed put(SpanStack& stack, std::uint64_t begin, std::uint64_t end, std::uint32_t path,
           std::uint64_t task = 0) {
  const SpanStack::Place place = stack.place_of(begin, end, task);
  stack.open(place, end, task, path);
  return {place, path};
}

TEST(SpanStack, NestsSpansWithinOthers) {
  SpanStack stack;
  EXPECT_EQ(put(stack, 0, 100, 1).place.parent_path, SpanStack::kNoPath);
  const auto child = put(stack, 10, 40, 2).place;
  EXPECT_EQ(child.parent_path, 1U);
  EXPECT_EQ(child.row, 1U);
  EXPECT_EQ(child.taken_ns, 30U);
  const auto grandchild = put(stack, 20, 40, 3).place;
  EXPECT_EQ(grandchild.parent_path, 2U);
  EXPECT_EQ(grandchild.row, 2U);
  const auto second = put(stack, 40, 100, 4).place;
  EXPECT_EQ(second.parent_path, 1U) << "a span that has ended is around no other one";
  EXPECT_EQ(second.row, 1U);
  EXPECT_EQ(put(stack, 100, 110, 5).place.parent_path, SpanStack::kNoPath);
}

TEST(SpanStack, CountsTheTimeOfOverlappingChildrenOnce) {
  SpanStack stack;
  put(stack, 0, 100, 1);
  EXPECT_EQ(put(stack, 10, 50, 2).place.taken_ns, 40U);
  const auto overlapping = put(stack, 30, 70, 3).place;
  EXPECT_EQ(overlapping.parent_path, 1U) << "it ends after its neighbour";
  EXPECT_EQ(overlapping.row, 2U) << "its neighbour is on row 1";
  EXPECT_EQ(overlapping.taken_ns, 20U);
}

TEST(SpanStack, KeepsTasksApart) {
  SpanStack stack;
  put(stack, 0, 100, 1, 7);
  const auto other = put(stack, 10, 20, 2, 8).place;
  EXPECT_EQ(other.parent_path, SpanStack::kNoPath);
  EXPECT_EQ(other.row, 1U);
  EXPECT_EQ(put(stack, 12, 15, 3, 7).place.parent_path, 1U);
}

TEST(SpanStack, HasABoundedNumberOfRows) {
  SpanStack stack;
  for (std::uint32_t i = 0; i < 1000; ++i)
    EXPECT_LT(put(stack, i, 10'000 - i, i).place.row, SpanStack::kMostRows);
}

TEST(LongestSpans, KeepsAllOfAtLeastTheLeastDuration) {
  LongestSpans longest(1000);
  std::vector<std::uint64_t> durations;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const std::uint64_t duration = i * 7919 % 10'007;
    durations.push_back(duration);
    longest.add({.begin_ns = i, .duration_ns = duration, .number = i});
  }
  std::size_t wanted = 0;
  for (const std::uint64_t each : durations) wanted += each >= longest.least_ns() ? 1U : 0U;
  EXPECT_EQ(longest.spans().size(), wanted);
  EXPECT_LE(wanted, 1000U);
  EXPECT_GT(wanted, 100U);
  for (const DrawnSpan& span : longest.spans()) EXPECT_GE(span.duration_ns, longest.least_ns());
}

TEST(LongestSpans, IsBoundedIfAllAreEquallyLong) {
  LongestSpans longest(1000);
  for (std::uint64_t i = 0; i < 10'000; ++i) longest.add({.duration_ns = 5, .number = i});
  EXPECT_LE(longest.spans().size(), 1000U);
  EXPECT_EQ(longest.least_ns(), 6U);
}

struct Item {
  std::uint64_t begin_ns = 0;
};

// Times, and the runs of what was added.
struct Sampled {
  explicit Sampled(std::size_t most) : limits(most) {}

  void add(std::uint64_t at) {
    all.push_back(at);
    const std::size_t interval = grid.interval(at);
    runs.add(grid, interval, {at}, limits);
    while (limits.items > limits.most_items) {
      limits.tighten();
      runs.trim(limits);
    }
  }
  // Between `from` and `to`.
  std::size_t added(std::uint64_t from, std::uint64_t to) const {
    std::size_t number = 0;
    for (const std::uint64_t each : all) number += each >= from && each < to ? 1U : 0U;
    return number;
  }

  TimeGrid grid;
  SampleLimits limits;
  SampledRuns<Item> runs;
  std::vector<std::uint64_t> all;
};

TEST(SampledRuns, KeepsEverythingWhileItFits) {
  Sampled sampled(1000);
  for (std::uint64_t i = 0; i < 1000; ++i) sampled.add(i * i * 1000);
  std::size_t kept = 0;
  for (const auto& run : sampled.runs.runs(sampled.grid, sampled.limits)) {
    EXPECT_FALSE(run.is_cut);
    kept += run.items.size();
  }
  EXPECT_EQ(kept, 1000U);
}

TEST(SampledRuns, AreCompleteWhereTheySaySo) {
  // The grid's length doubles many times, and the runs become shorter several times.
  for (const std::size_t most : {500U, 2000U, 20'000U}) {
    Sampled sampled(most);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < 60'000; ++i) {
      at += 1 + i * 2654435761U % 3000 * (1 + i / 5000);
      sampled.add(i % 997 == 0 && at > 50'000 ? at - 40'000 : at);  // some are late
    }
    const auto& runs = sampled.runs.runs(sampled.grid, sampled.limits);
    std::size_t kept = 0;
    std::size_t in_complete_parts = 0;
    for (const auto& run : runs) {
      kept += run.items.size();
      const std::uint64_t first =
          sampled.grid.begin_ns() + (std::uint64_t{run.interval} << sampled.grid.shift());
      const std::uint64_t from = std::max(first, run.from_ns);
      const std::uint64_t end = first + (std::uint64_t{1} << sampled.grid.shift());
      const std::uint64_t until = run.is_cut ? std::min(run.until_ns, end) : end;
      std::size_t here = 0;
      for (const Item& item : run.items)
        here += item.begin_ns >= from && item.begin_ns < until ? 1U : 0U;
      if (until > from) {
        EXPECT_EQ(here, sampled.added(from, until)) << run.interval << " of " << most;
        in_complete_parts += here;
      }
    }
    EXPECT_EQ(kept, sampled.limits.items);
    EXPECT_LE(kept, most);
    EXPECT_GT(in_complete_parts, most / 20);
  }
}

TEST(PathTree, CountsWhatIsLeftOutAtTheParent) {
  PathTree tree;
  const std::uint32_t thread = tree.thread(3);
  const std::uint32_t parent = tree.child(thread, 1);
  constexpr std::uint64_t kChildren = 30'000;
  for (std::uint64_t i = 0; i < kChildren; ++i) {
    PathTree::Node& child = tree.at(tree.child(parent, static_cast<std::int64_t>(i)));
    child.count = 1;
    child.total = i + 1;
    child.self = static_cast<std::int64_t>(i + 1);
    tree.at(parent).total += i + 1;
    tree.at(thread).total += i + 1;
  }
  const nlohmann::json document = tree.document();
  ASSERT_EQ(document["parent"].size(), PathTree::kMostShown);
  const std::uint64_t left_out = kChildren + 2 - PathTree::kMostShown;
  EXPECT_EQ(document["nodes_left_out"], left_out);
  // Node 1 is the parent; the lightest children are left out.
  EXPECT_EQ(document["others"],
            nlohmann::json::array({1, left_out, left_out * (left_out + 1) / 2}));
  EXPECT_EQ(document["parent"][0], -1);
  EXPECT_EQ(document["name"][0], 3);
  for (std::size_t i = 2; i < document["parent"].size(); ++i) EXPECT_EQ(document["parent"][i], 1);
}

TEST(PathTree, HasABoundedDepth) {
  PathTree tree;
  std::uint32_t node = tree.thread(0);
  std::uint32_t depth = 0;
  for (; node != PathTree::kNone; ++depth) node = tree.child(node, 5);
  EXPECT_EQ(depth, PathTree::kMostDepth + 1);
  EXPECT_EQ(tree.document()["is_incomplete"], true);
}

}  // namespace
}  // namespace ringside::tool
