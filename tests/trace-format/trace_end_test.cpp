// The end of a trace, read without what comes before, is what reading everything delivers last.
#include <algorithm>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "ring_bytes.hpp"
#include "section_index_bytes.hpp"
#include "trace-format/blocks/losses_block.hpp"

namespace ringside::trace::testing {
namespace {

using Files = std::vector<Bytes>;
using Told = std::tuple<EventKind, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                        LossCause, std::uint64_t, std::string, std::uint32_t>;

struct End {
  std::vector<Told> events;
  ReadReport report;
  bool has_all = true;
  bool is_end_of_all = true;
};

End read_end(const Files& files, std::uint64_t end_bytes, ReadOptions options = {}) {
  options.end_bytes = end_bytes;
  std::vector<std::unique_ptr<TraceFile>> sources;
  for (const Bytes& bytes : files) {
    sources.push_back(TraceFile::in_memory(std::to_string(sources.size()), bytes));
  }
  auto set = TraceSet::open(std::move(sources), std::move(options), nullptr);
  End end;
  if (!set) return end;
  Event event;
  while (set->next(event)) {
    const bool is_record = event.kind == EventKind::kRecord;
    end.events.push_back({event.kind, event.unix_ns, event.record.stream_id, event.record.sequence,
                          is_record ? event.record.args[0].u64 : event.lost, event.cause,
                          is_record ? 0 : event.since_ns, event.stream->thread_name,
                          event.segment->pid});
  }
  end.has_all = set->has_all();
  end.is_end_of_all = set->is_end_of_all();
  end.report = set->report();
  return end;
}

// What damage before the end has destroyed is not found, so losses can differ.
std::vector<Told> records_of(std::vector<Told> events) {
  std::erase_if(events,
                [](const Told& event) { return std::get<EventKind>(event) != EventKind::kRecord; });
  return events;
}

bool is_suffix(const std::vector<Told>& end, const std::vector<Told>& all) {
  return end.size() <= all.size() && std::equal(end.rbegin(), end.rend(), all.rbegin());
}

// Segments that log at the same time, each in several files, with all kinds of losses.
class RandomTrace {
 public:
  explicit RandomTrace(std::uint64_t seed) : random_(seed) {
    const std::uint64_t segments = 1 + below(3);
    for (std::uint64_t i = 0; i < segments; ++i) segment(static_cast<std::uint8_t>(i + 1));
    if (below(4) == 0) files_.back().resize(files_.back().size() - below(200));
    if (below(4) == 0) {
      damaged_ = true;
      Bytes& last = files_.back();
      for (std::size_t i = last.size() - below(last.size()); i < last.size(); i += 1 + below(2000))
        last[i] ^= std::byte{0x40};
    }
  }

  const Files& files() const { return files_; }
  bool damaged() const { return damaged_; }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

  void segment(std::uint8_t uuid) {
    TraceFileBuilder writer;
    now_ = 100'000 + below(50'000);
    const std::uint64_t streams = 1 + below(12);
    const std::uint64_t parts = 1 + below(4);
    for (std::uint32_t part = 0; part < parts; ++part) {
      writer.bytes.clear();
      writer.begin(uuid, "service", part);
      for (std::uint64_t id = 1; id <= streams; ++id) writer.stream(id, "first");
      const std::uint64_t rounds = 1 + below(12);
      for (std::uint64_t i = 0; i < rounds; ++i) round(writer, streams);
      const bool indexed = below(3) != 0;
      if (!indexed && below(2) == 0) writer.end();
      now_ += 5000;
      files_.push_back(indexed ? with_index(writer.bytes) : writer.bytes);
    }
  }

  void round(TraceFileBuilder& writer, std::uint64_t streams) {
    for (std::uint64_t id = 1; id <= streams; ++id) {
      const std::uint64_t kind = below(12);
      if (kind == 0) writer.lose(id, 1 + below(5));
      if (kind == 1) writer.stream(id, "renamed" + std::to_string(below(9)));
      if (kind == 2) lose_without_stream(writer);
      if (kind >= 9) continue;
      std::vector<std::uint64_t> times(1 + below(20));
      // Some are older than the preceding sequence point: the extent is late.
      const std::uint64_t from = now_ - (kind == 3 ? 3000 : 0);
      for (std::uint64_t& time : times) time = from + below(1500);
      if (kind != 4) std::sort(times.begin(), times.end());
      writer.extent(id, times,
                    kind == 5 ? drop_record(times.front(), 1 + below(9), LossCause::kRingFull)
                              : std::string());
    }
    now_ += 1000;
    if (below(8) != 0) writer.sequence_point(now_);
  }

  void lose_without_stream(TraceFileBuilder& writer) {
    const std::uint64_t before = counted_;
    counted_ += 1 + below(5);
    // In few traces a report repeats an earlier one.
    const std::uint64_t first = repeats_ && below(4) == 0 ? 0 : before;
    const LossesBlock losses{
        now_ - 500, now_ + below(1500), {{0, LossCause::kNoRing, first, counted_}}, {}};
    const std::size_t at = writer.bytes.size();
    writer.bytes.resize(at + losses_block_bytes(losses));
    write_losses_block(losses, std::span(writer.bytes).subspan(at));
  }

  std::mt19937_64 random_;
  Files files_;
  std::uint64_t now_ = 0;
  std::uint64_t counted_ = 3;
  bool damaged_ = false;
  bool repeats_ = random_() % 8 == 0;
};

TEST(TraceEnd, IsWhatReadingEverythingDeliversLast) {
  constexpr std::size_t kTraces = 100;
  std::size_t cut = 0;
  std::size_t losses = 0;
  std::size_t uncertain = 0;
  for (std::size_t seed = 0; seed < kTraces; ++seed) {
    const RandomTrace trace(seed);
    const End all = read_end(trace.files(), 0);
    ASSERT_TRUE(all.has_all);
    for (const std::uint64_t bytes : {1U, 1000U, 4000U, 16'000U}) {
      const End end = read_end(trace.files(), bytes);
      if (end.has_all) {
        ASSERT_EQ(end.events, all.events) << "seed " << seed;
        continue;
      }
      ++cut;
      if (!end.is_end_of_all) ++uncertain;
      for (const Told& event : end.events) {
        if (std::get<EventKind>(event) == EventKind::kLoss) ++losses;
      }
      if (!end.is_end_of_all) continue;
      const bool is_end = trace.damaged()
                              ? is_suffix(records_of(end.events), records_of(all.events))
                              : is_suffix(end.events, all.events);
      ASSERT_TRUE(is_end) << "seed " << seed << ", bytes " << bytes;
    }
  }
  EXPECT_GT(cut, kTraces) << "the test must leave something out";
  EXPECT_GT(losses, kTraces) << "the test must have losses at the end";
  EXPECT_GT(cut - uncertain, kTraces) << "most traces without missing records must be certain";
}

TEST(TraceEnd, LeavesEarlierExtentsUnread) {
  TraceFileBuilder writer;
  writer.begin();
  for (std::uint64_t i = 0; i < 100; ++i) {
    writer.extent(1, {100 * i + 10, 100 * i + 20});
    writer.sequence_point(100 * i + 50);
  }
  for (const Bytes& file : {writer.bytes, with_index(writer.bytes)}) {
    const End end = read_end({file}, 500);
    EXPECT_FALSE(end.has_all);
    EXPECT_GE(end.events.size(), 2U);
    EXPECT_LT(end.events.size(), 20U);
    EXPECT_EQ(end.report.extents_decoded, end.events.size() / 2);
    EXPECT_TRUE(read_end({file}, 1 << 20).has_all) << "more than the file";
  }
}

TEST(TraceEnd, HasTheLossThatBeganBeforeIt) {
  TraceFileBuilder writer;
  writer.begin();
  writer.extent(1, {10, 20});
  for (std::uint64_t i = 1; i < 100; ++i) {
    writer.extent(2, {100 * i + 10, 100 * i + 20});
    writer.sequence_point(100 * i + 50);
  }
  writer.extent(1, {20'000}, drop_record(20'000, 7, LossCause::kRingFull));
  for (const Bytes& file : {writer.bytes, with_index(writer.bytes)}) {
    const End end = read_end({file}, 400);
    ASSERT_FALSE(end.has_all);
    EXPECT_TRUE(is_suffix(end.events, read_end({file}, 0).events));
    const auto loss = std::find_if(end.events.begin(), end.events.end(), [](const Told& event) {
      return std::get<EventKind>(event) == EventKind::kLoss;
    });
    ASSERT_NE(loss, end.events.end());
    EXPECT_EQ(std::get<6>(*loss), 20U) << "since the last record of the stream, long before";
  }
}

TEST(TraceEnd, OfClocksThatGoBackIsEverything) {
  TraceFileBuilder writer;
  writer.begin();
  writer.clock({500, 100, std::uint64_t{1} << 40, 0, 0});
  for (std::uint64_t i = 0; i < 100; ++i) {
    writer.extent(1, {100 * i + 10, 100 * i + 20});
    writer.sequence_point(100 * i + 50);
  }
  EXPECT_TRUE(read_end({writer.bytes}, 400).has_all);
}

TEST(TraceEnd, IsPartOfTheWantedTime) {
  std::size_t cut = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomTrace trace(seed);
    ReadOptions options;
    options.since_ns = 103'000;
    options.until_ns = 130'000;
    const End all = read_end(trace.files(), 0, options);
    for (const std::uint64_t bytes : {1U, 4000U, 16'000U, 64'000U}) {
      const End end = read_end(trace.files(), bytes, options);
      if (!end.has_all) ++cut;
      if (end.is_end_of_all && !trace.damaged()) {
        EXPECT_TRUE(is_suffix(end.events, all.events)) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(cut, 20U);
}

}  // namespace
}  // namespace ringside::trace::testing
