// The timeline of traces that are made up: many tracks, many spans, and spans at the same time.

#include "tools/report/timeline_part.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "shm-layout/record_head.hpp"
#include "shm-layout/span_id_field.hpp"
#include "tools/query/trace_stats.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/time_grid.hpp"
#include "trace-format/blocks/format_constants.hpp"

namespace ringside::tool {
namespace {

// A trace of one process; its threads have the numbers 1, 2 ...
class MadeUpTrace {
 public:
  MadeUpTrace() {
    segment_.tick_hz = 1'000'000'000;
    segment_.service = "made up";
    segment_.pid = 7;
    for (int i = 0; i < 4; ++i) {
      trace::Site& site = sites_.emplace_back();
      site.id = static_cast<std::uint32_t>(i + 1);
      site.kind = shm::SiteKind::kSpan;
      site.name = "statement " + std::to_string(i);
      site.file = "made_up.cpp";
      site.line = static_cast<std::uint32_t>(i);
    }
    trace::Field id;
    id.name = shm::kSpanIdField;
    id.type = shm::FieldType::u64;
    sites_[3].fields.push_back(id);
  }

  // Times are ticks from now on.
  void use_ticks(std::uint64_t hz) {
    segment_.tick_hz = hz;
    const auto ns_per_tick = (trace::UInt128{1'000'000'000} << trace::kClockFractionBits) / hz;
    clocks_.add({0, 1'000'000'000, static_cast<std::uint64_t>(ns_per_tick), 0, 0});
  }

  void span(std::uint64_t thread, std::uint64_t at, std::uint64_t duration, std::size_t site = 0,
            std::uint64_t substream = 0) {
    trace::Event event = event_of(thread, at, site, substream);
    event.record.ext_flags |= shm::kExtDuration | shm::kExtFromEnd;
    event.record.duration = duration;
    add(event);
  }
  void instant(std::uint64_t thread, std::uint64_t at) { add(event_of(thread, at, 1, 0)); }
  // The first of the two records of a span, or the second one with a duration.
  void half(std::uint64_t thread, std::uint64_t at, std::uint64_t id, std::uint64_t duration) {
    trace::Event event = event_of(thread, at, 3, 0);
    const std::array<trace::Value, 1> args{trace::Value::of_unsigned(shm::FieldType::u64, id)};
    event.record.args = args;
    if (duration != 0) {
      event.record.ext_flags |= shm::kExtDuration | shm::kExtFromEnd;
      event.record.duration = duration;
    }
    add(event);
  }

  nlohmann::json document() { return part_.document(grid_, stats_.last_ns()); }
  const PathTree& paths() const { return part_.paths(); }

 private:
  trace::Event event_of(std::uint64_t thread, std::uint64_t at, std::size_t site,
                        std::uint64_t substream) {
    while (streams_.size() < thread) {
      trace::StreamInfo& stream = streams_.emplace_back();
      stream.id = streams_.size();
      stream.thread_id = static_cast<std::uint32_t>(streams_.size());
    }
    trace::Event event;
    event.segment = &segment_;
    event.stream = &streams_[thread - 1];
    event.unix_ns = clocks_.empty() ? 1'000'000'000 + at : clocks_.unix_ns(at);
    event.clocks = clocks_.empty() ? nullptr : &clocks_;
    event.record.tsc = at;
    event.record.sequence = sequence_++;
    event.record.site = &sites_[site];
    event.record.stream_id = thread;
    if (substream != 0) {
      event.record.ext_flags = shm::kExtSubstream;
      event.record.substream = substream;
    }
    return event;
  }

  void add(const trace::Event& event) {
    const TraceStats::Place place = stats_.add(event);
    const std::size_t interval = grid_.interval(event.unix_ns);
    part_.add({event, place, grid_, interval});
  }

  trace::SegmentInfo segment_;
  trace::ClockMap clocks_;
  std::uint64_t sequence_ = 0;
  std::deque<trace::Site> sites_;
  std::deque<trace::StreamInfo> streams_;
  TraceStats stats_{0};
  TimeGrid grid_;
  TimelinePart part_;
};

std::size_t packed_bytes(const nlohmann::json& document) {
  return report_as_page({{"timeline", document.dump()}}).size() - report_as_page({}).size();
}

constexpr std::size_t kMostPackedBytes = 3'000'000;

TEST(TimelinePart, NestsSpansThatBeginTogether) {
  MadeUpTrace trace;
  trace.span(1, 0, 10, 2);
  trace.span(1, 0, 50, 1);
  trace.span(1, 0, 100, 0);
  trace.span(1, 60, 20, 1);
  const nlohmann::json document = trace.document();
  const nlohmann::json& spans = document["tracks"][0]["spans"];
  EXPECT_EQ(spans["duration"], nlohmann::json({100, 50, 10, 20}));
  EXPECT_EQ(spans["row"], nlohmann::json({0, 1, 2, 1}));
  const auto& nodes = trace.paths().nodes();
  ASSERT_EQ(nodes.size(), 4U) << "a thread, and a path of each of three depths";
  EXPECT_EQ(nodes[1].self, 30);
  EXPECT_EQ(nodes[2].count, 2U);
  EXPECT_EQ(nodes[2].total, 70U);
  EXPECT_EQ(nodes[2].self, 60);
}

TEST(TimelinePart, OfSpansWithEqualTimesTheLastRecordIsAroundTheOthers) {
  MadeUpTrace trace;
  for (const std::size_t site : {2U, 1U, 0U}) trace.span(1, 0, 10, site);
  const nlohmann::json document = trace.document();
  EXPECT_EQ(document["tracks"][0]["spans"]["statement"], nlohmann::json({2, 1, 0}))
      << "statements have numbers in the order of their records";
}

TEST(TimelinePart, ARoundedEndNestsAsItsTicks) {
  MadeUpTrace trace;
  trace.use_ticks(300'000'000);
  std::mt19937_64 dice(1);
  std::uint64_t at = 0;
  constexpr std::uint64_t kSpans = 1000;
  std::uint64_t children_ns = 0;
  for (std::uint64_t i = 0; i < kSpans; ++i) {
    const std::uint64_t length = 2 + dice() % 100;
    const std::uint64_t before = 1 + dice() % (length - 1);
    trace.span(1, at, length, 0);
    trace.span(1, at + before, length - before, 1);  // both end together
    children_ns += (length - before) * 10 / 3;
    at += length;  // and the next one begins then
  }
  EXPECT_EQ(trace.document()["spans"], 2 * kSpans);
  const auto& nodes = trace.paths().nodes();
  ASSERT_EQ(nodes.size(), 3U) << "a thread, and two paths";
  EXPECT_EQ(nodes[1].count, kSpans);
  EXPECT_EQ(nodes[2].count, kSpans);
  EXPECT_EQ(nodes[2].parent, 1U);
  EXPECT_EQ(nodes[2].total, children_ns);
  EXPECT_EQ(static_cast<std::uint64_t>(nodes[1].self) + children_ns, nodes[1].total);
}

TEST(TimelinePart, ASpanWithoutItsSecondRecordIsOpen) {
  MadeUpTrace trace;
  trace.half(1, 0, 11, 0);
  trace.half(1, 0, 11, 40);
  trace.half(1, 50, 12, 0);
  trace.span(1, 60, 30, 0);
  trace.half(1, 90, 13, 20);
  trace.half(2, 90, 13, 0);  // it ended on another thread
  const nlohmann::json document = trace.document();
  EXPECT_EQ(document["open_spans"], 1);
  EXPECT_EQ(document["spans"], 4);
  const nlohmann::json& spans = document["tracks"][0]["spans"];
  EXPECT_EQ(spans["duration"], nlohmann::json({40, -1, 30, 20}));
  EXPECT_EQ(spans["row"], nlohmann::json({0, 0, 1, 1}));
  EXPECT_EQ(document["end"], 110.0);
  const auto& nodes = trace.paths().nodes();
  EXPECT_EQ(nodes[0].total, 40U + 60U) << "the open one lasts until the end";
}

TEST(TimelinePart, IsBoundedForManySpans) {
  MadeUpTrace trace;
  std::mt19937_64 dice(1);
  std::uint64_t at = 0;
  constexpr int kSpans = 500'000;
  for (int i = 0; i < kSpans; ++i) {
    at += dice() % 5'000'000;
    const std::uint64_t duration = dice() % (std::uint64_t{1} << (10 + dice() % 24));
    trace.span(1 + dice() % 64, at, duration, dice() % 3);
    if (i % 4 == 0) trace.instant(1 + dice() % 64, at);
  }
  const nlohmann::json document = trace.document();
  EXPECT_EQ(document["spans"], kSpans);
  EXPECT_GT(document["drawn_spans"], TimelinePart::kMostSpans / 4);
  EXPECT_LE(document["drawn_spans"], TimelinePart::kMostSpans + TimelinePart::kMostSampledSpans);
  EXPECT_LE(document["drawn_instants"], TimelinePart::kMostInstants);
  EXPECT_LT(packed_bytes(document), kMostPackedBytes);
}

TEST(TimelinePart, IsBoundedForManyTracks) {
  MadeUpTrace trace;
  constexpr std::uint64_t kThreads = 3000;
  constexpr std::uint64_t kRounds = 60;
  std::uint64_t at = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (std::uint64_t thread = 1; thread <= kThreads; ++thread) {
      at += 1000;
      trace.span(thread, at, 500 + at % 701, 0);
      trace.instant(thread, at + 100);
    }
  }
  const nlohmann::json document = trace.document();
  EXPECT_EQ(document["tracks"].size(), TimelinePart::kMostTracks);
  EXPECT_EQ(document["further_tracks"], kThreads - TimelinePart::kMostTracks);
  EXPECT_EQ(document["further_records"], (kThreads - TimelinePart::kMostTracks) * kRounds * 2);
  EXPECT_LT(packed_bytes(document), kMostPackedBytes);
}

TEST(TimelinePart, TasksBeyondTheLimitShareATrack) {
  MadeUpTrace trace;
  constexpr std::uint64_t kTasks = 5000;
  for (std::uint64_t task = 1; task <= kTasks; ++task) {
    trace.span(1, task * 10, 1'000, 0, task);
    trace.span(1, task * 10 + 1, 500, 1, task);
  }
  const nlohmann::json document = trace.document();
  EXPECT_EQ(document["tracks"].size(), TimelinePart::kMostTasks + 1);
  const auto& further = document["tracks"].back();
  EXPECT_EQ(further["kind"], "further");
  EXPECT_EQ(further["records"], 2 * (kTasks - TimelinePart::kMostTasks));
  // What is within what does not depend on the track.
  const auto& nodes = trace.paths().nodes();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[2].parent, 1U);
  EXPECT_EQ(nodes[2].count, kTasks);
}

}  // namespace
}  // namespace ringside::tool
