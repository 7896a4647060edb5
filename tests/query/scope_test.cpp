// The records in a scope are those that a plain filter over all events of TraceSet leaves.
#include "trace-format/query/scope.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "query_trace.hpp"
#include "trace-format/query/visit.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::trace::query {
namespace {

using namespace trace::testing;
using shm::FieldType;

const std::vector<QuerySite> kScopeSites{
    {.id = 2,
     .format = "order %ld %s",
     .fields = {{.type = FieldType::i64, .name = "qty"},
                {.type = FieldType::string, .name = "symbol"}}},
    {.id = 3, .format = "noise %u", .fields = {{.type = FieldType::u32, .name = "noise"}}}};

// Tests a field that the query does not name, and members that only the record has.
struct OddSequencesOfXyz final : RecordTest {
  void add_fields(const Site&, std::vector<std::uint16_t>& fields) override { fields.push_back(1); }
  bool wanted(const Event& event) override {
    return event.record.args[1].text == "XYZ" && event.record.sequence % 2 == 1;
  }
};

struct Quantities {
  std::vector<std::int64_t> all;
  void operator()(std::int64_t qty) { all.push_back(qty); }
  void merge(const Quantities& other) { all.insert(all.end(), other.all.begin(), other.all.end()); }
};

class ScopeOfRandomTraces : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    std::mt19937_64 random(GetParam());
    for (std::uint8_t file = 1; file <= 3; ++file) {
      QueryTrace trace(kScopeSites, file == 3 ? "other" : "service", file);
      for (std::uint64_t stream = 1; stream <= 3; ++stream) trace.thread(stream, "thread");
      std::uint64_t now = 1'000'000;
      for (int i = 0; i < 600; ++i) {
        now += random() % 50'000;
        const std::uint64_t stream = 1 + random() % 3;
        if (random() % 3 == 0) {
          trace.record(stream, 3, now, raw(static_cast<std::uint32_t>(random())));
        } else {
          trace.record(stream, 2, now,
                       raw(static_cast<std::int64_t>(random())) +
                           raw_text(random() % 2 == 0 ? "XYZ" : "ABC"));
        }
        if (random() % 40 == 0) trace.write_out();
      }
      paths_.push_back(directory_.write(std::to_string(file) + ".ringtrace", trace.bytes()));
    }
    scope_.reading.since_ns = 1'000'000 + random() % 8'000'000;
    scope_.reading.until_ns = scope_.reading.since_ns + 1 + random() % 8'000'000;
    scope_.reading.stream = [](const StreamInfo& stream, const SegmentInfo&) {
      return stream.id != 2;
    };
    scope_.reading.site = [](const Site& site, const SegmentInfo& segment) {
      return site.fields.size() == 2 && segment.service == "service";
    };
  }

  std::vector<std::int64_t> plain(RecordTest* test) {
    std::vector<std::int64_t> quantities;
    auto set = TraceSet::open(paths_, nullptr);
    Event event;
    while (set && set->next(event)) {
      const ReadOptions& reading = scope_.reading;
      if (event.kind == EventKind::kRecord && event.unix_ns >= reading.since_ns &&
          event.unix_ns < reading.until_ns && reading.stream(*event.stream, *event.segment) &&
          reading.site(*event.record.site, *event.segment) &&
          (test == nullptr || test->wanted(event))) {
        quantities.push_back(event.record.args[0].i64);
      }
    }
    std::sort(quantities.begin(), quantities.end());
    return quantities;
  }

  std::vector<std::int64_t> visited() {
    Quantities quantities;
    const std::array<std::string_view, 1> fields{"qty"};
    // Sites without this field are outside the scope; otherwise they would be refused.
    EXPECT_TRUE(visit_parallel(paths_, SiteSelector::all(), fields, quantities, 2, scope_).ok());
    std::sort(quantities.all.begin(), quantities.all.end());
    return quantities.all;
  }

  TemporaryDirectory directory_;
  std::vector<std::string> paths_;
  Scope scope_;
};

TEST_P(ScopeOfRandomTraces, IsATimeThreadsAndSites) {
  EXPECT_EQ(visited(), plain(nullptr));
  EXPECT_FALSE(visited().empty());
}

TEST_P(ScopeOfRandomTraces, IsWhatATestOfEachRecordLeaves) {
  scope_.record_test = [] { return std::make_unique<OddSequencesOfXyz>(); };
  OddSequencesOfXyz test;
  EXPECT_EQ(visited(), plain(&test));
}

TEST_P(ScopeOfRandomTraces, ThatLeavesOutEverySiteIsRefused) {
  scope_.reading.site = [](const Site&, const SegmentInfo&) { return false; };
  const std::array<std::string_view, 1> fields{"qty"};
  const VisitResult result = visit(
      paths_, SiteSelector::text("order"), fields, [](std::int64_t) {}, scope_);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->what, "the filters exclude every site that matches text with \"order\"");
}

struct FromTime final : RecordTest {
  void add_fields(const Site&, std::vector<std::uint16_t>&) override {}
  bool wanted(const Event& event) override { return event.unix_ns >= 1'210; }
};

TEST(Scope, ShowsARecordTestTheTimeNotTheTicks) {
  QueryTrace trace(kScopeSites);
  trace.clock({0, 1'000, std::uint64_t{2} << 40, 0, 0});
  for (std::uint64_t tick = 100; tick < 110; ++tick) {
    trace.record(1, 2, tick, raw(static_cast<std::int64_t>(tick)) + raw_text("XYZ"));
  }
  const TemporaryDirectory directory;
  const std::vector<std::string> paths{directory.write("a.ringtrace", trace.bytes())};
  Scope scope;
  scope.record_test = [] { return std::make_unique<FromTime>(); };
  Quantities quantities;
  const std::array<std::string_view, 1> fields{"qty"};
  EXPECT_TRUE(
      visit_parallel(paths, SiteSelector::text("order"), fields, quantities, 2, scope).ok());
  EXPECT_EQ(quantities.all, (std::vector<std::int64_t>{105, 106, 107, 108, 109}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScopeOfRandomTraces, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace ringside::trace::query
