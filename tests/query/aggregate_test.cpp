// Aggregates over random traces equal a plain computation over all events of TraceSet, with one
// thread and with several.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "query_trace.hpp"
#include "trace-format/query/distribution.hpp"
#include "trace-format/query/groups.hpp"
#include "trace-format/query/histogram.hpp"
#include "trace-format/query/summary.hpp"
#include "trace-format/query/visit.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::trace::query {
namespace {

using namespace trace::testing;
using shm::FieldType;

const std::vector<QuerySite> kOrderSites{
    {.id = 2,
     .format = "order %ld %s %f",
     .fields = {{.type = FieldType::i64, .name = "qty"},
                {.type = FieldType::string, .name = "symbol"},
                {.type = FieldType::f64, .name = "price"}}},
    {.id = 3, .format = "order cancelled %ld", .fields = {{.type = FieldType::i64, .name = "qty"}}},
    {.id = 4, .format = "noise %u", .fields = {{.type = FieldType::u32, .name = "noise"}}}};

// The totals of one group of records.
struct Totals {
  Summary<std::int64_t> summary;
  Distribution distribution;

  void add(std::int64_t value) {
    summary.add(value);
    distribution.add(static_cast<double>(value));
  }
  void merge(const Totals& other) {
    summary.merge(other.summary);
    distribution.merge(other.distribution);
  }
};

double nearest_rank(std::vector<double> values, double percent) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(
      std::ceil(percent / 100 * static_cast<double>(values.size()) - 1e-9));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

void expect_close(double a, double b) {
  EXPECT_NEAR(a, b, 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}));
}

void expect_totals(const Totals& totals, const std::vector<std::int64_t>& values) {
  ASSERT_EQ(totals.summary.count(), values.size());
  Int128 sum = 0;
  for (const std::int64_t v : values) sum += v;
  EXPECT_TRUE(totals.summary.sum() == sum);
  if (values.empty()) return;
  EXPECT_EQ(totals.summary.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(totals.summary.max(), *std::max_element(values.begin(), values.end()));
  const long double mean = static_cast<long double>(sum) / static_cast<long double>(values.size());
  long double squares = 0;
  for (const std::int64_t v : values) {
    squares += (static_cast<long double>(v) - mean) * (static_cast<long double>(v) - mean);
  }
  expect_close(totals.summary.mean(), static_cast<double>(mean));
  const auto deviation =
      static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size())));
  EXPECT_NEAR(totals.summary.deviation(), deviation, 1e-6 * std::max(1.0, deviation));
  const std::vector<double> doubles(values.begin(), values.end());
  for (const double percent : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const double exact = nearest_rank(doubles, percent);
    const double got = totals.distribution.percentile(percent);
    if (totals.distribution.exact()) {
      EXPECT_EQ(got, exact) << percent;
    } else {
      EXPECT_NEAR(got, exact, Distribution::kRelativeError * std::abs(exact)) << percent;
    }
  }
}

class RandomTraces : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    std::mt19937_64 random(GetParam());
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    const std::uint64_t rounds = 1 + below(6);
    for (std::uint8_t file = 1; file <= 3; ++file) {
      QueryTrace trace(kOrderSites, file == 3 ? "other" : "service", file);
      std::uint64_t now = 1'000'000;
      for (std::uint64_t i = 0; i < rounds * 250; ++i) {
        now += below(50'000);
        const std::uint64_t stream = 1 + below(3);
        std::int64_t qty = static_cast<std::int64_t>(below(2000)) - 500;
        if (below(20) == 0) qty = static_cast<std::int64_t>(random());
        static const char* const kSymbols[] = {"ABC", "XYZ", "with blank", ""};
        switch (below(4)) {
          case 0:
            trace.record(stream, 3, now, raw(qty));
            break;
          case 1:
            trace.record(stream, 4, now, raw(static_cast<std::uint32_t>(random())));
            break;
          default:
            trace.record(stream, 2, now,
                         raw(qty) + raw_text(kSymbols[below(4)]) +
                             raw(static_cast<double>(below(1000)) / 8));
        }
        if (below(200) == 0) trace.write_out();
      }
      paths_.push_back(directory_.write(std::to_string(file) + ".ringtrace", trace.bytes()));
    }
  }

  // Calls see(const Event&, qty) for all records with a quantity.
  template <class See>
  void for_all_quantities(See&& see) {
    auto set = TraceSet::open(paths_, nullptr);
    ASSERT_TRUE(set);
    Event event;
    while (set->next(event)) {
      if (event.kind == EventKind::kRecord && event.record.site->fields[0].name == "qty") {
        see(event, event.record.args[0].i64);
      }
    }
  }

  TemporaryDirectory directory_;
  std::vector<std::string> paths_;
};

TEST_P(RandomTraces, GiveTheTotalsOfAPlainComputation) {
  std::vector<std::int64_t> all;
  for_all_quantities([&](const Event&, std::int64_t qty) { all.push_back(qty); });
  Totals totals;
  ASSERT_TRUE(visit<"qty">(paths_, SiteSelector::text("order"), [&](std::int64_t qty) {
                totals.add(qty);
              }).ok());
  expect_totals(totals, all);
}

// By symbol, thread, service, site and interval of time at once.
struct GroupedTotals {
  static std::vector<KeyPart> parts() {
    return {{KeyPartKind::kField, 1, 1},
            {KeyPartKind::kThread, 0, 1},
            {KeyPartKind::kService, 0, 1},
            {KeyPartKind::kSite, 0, 1},
            {KeyPartKind::kInterval, 0, 1'000'000}};
  }
  Groups<Totals> groups{parts()};

  void operator()(const RecordInfo& record, std::int64_t qty) { groups.of(record).add(qty); }
  void merge(const GroupedTotals& other) { groups.merge(other.groups); }
};

TEST_P(RandomTraces, GiveTheGroupsOfAPlainComputation) {
  std::map<std::vector<std::string>, std::vector<std::int64_t>> expected;
  for_all_quantities([&](const Event& event, std::int64_t qty) {
    const Record& record = event.record;
    const std::string symbol = record.args.size() > 1 ? std::string(record.args[1].text) : "";
    expected[{symbol, std::to_string(event.segment->pid), std::to_string(record.stream_id),
              event.segment->service, site_label(*record.site),
              std::to_string(event.unix_ns / 1'000'000 * 1'000'000)}]
        .push_back(qty);
  });
  const std::array<std::string_view, 2> fields{"qty", "symbol"};
  GroupedTotals single;
  ASSERT_TRUE(visit(paths_, SiteSelector::text("order"), fields, single).ok());
  EXPECT_EQ(single.groups.size(), expected.size());
  Totals whole;
  for (const auto* group : single.groups.sorted()) whole.merge(group->aggregate);
  std::vector<std::int64_t> all;
  for (const auto& [key, values] : expected) all.insert(all.end(), values.begin(), values.end());
  expect_totals(whole, all);

  GroupedTotals parallel;
  const VisitResult result =
      visit_parallel(paths_, SiteSelector::text("order"), fields, parallel, 3);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.report.files, 3U);
  ASSERT_EQ(parallel.groups.size(), single.groups.size());
  const auto a = single.groups.sorted();
  const auto b = parallel.groups.sorted();
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Threads of two runs can have the same number: their groups show the same key.
    if (i > 0 && a[i]->key == a[i - 1]->key) continue;
    if (i + 1 < a.size() && a[i]->key == a[i + 1]->key) continue;
    EXPECT_EQ(a[i]->key, b[i]->key);
    EXPECT_EQ(a[i]->aggregate.summary.count(), b[i]->aggregate.summary.count());
    EXPECT_TRUE(a[i]->aggregate.summary.sum() == b[i]->aggregate.summary.sum());
    EXPECT_EQ(a[i]->aggregate.distribution.percentile(50),
              b[i]->aggregate.distribution.percentile(50));
  }
}

TEST_P(RandomTraces, GiveTheGroupOfEachSymbol) {
  std::map<std::string, std::vector<std::int64_t>> expected;
  for_all_quantities([&](const Event& event, std::int64_t qty) {
    if (event.record.site->fields.size() == 3) {
      expected[std::string(event.record.args[1].text)].push_back(qty);
    }
  });
  Groups<Totals> groups({{KeyPartKind::kField, 1, 1}});
  const std::array<std::string_view, 2> fields{"qty", "symbol"};
  ASSERT_TRUE(visit(paths_, SiteSelector::text("order %ld %s"), fields,
                    [&](const RecordInfo& info, std::int64_t qty) { groups.of(info).add(qty); })
                  .ok());
  const auto sorted = groups.sorted();
  ASSERT_EQ(sorted.size(), expected.size());
  auto next = expected.begin();
  for (const auto* group : sorted) {
    EXPECT_EQ(group->key[0].text, next->first);
    expect_totals(group->aggregate, (next++)->second);
  }
}

TEST_P(RandomTraces, GiveTheSameFloatingSumByThreads) {
  struct Prices {
    Summary<double> summary;
    void operator()(double price) { summary.add(price); }
    void merge(const Prices& other) { summary.merge(other.summary); }
  };
  const std::array<std::string_view, 1> fields{"price"};
  Prices one;
  Prices three;
  ASSERT_TRUE(visit(paths_, SiteSelector::text("order %ld %s"), fields, one).ok());
  ASSERT_TRUE(visit_parallel(paths_, SiteSelector::text("order %ld %s"), fields, three, 3).ok());
  EXPECT_EQ(one.summary.count(), three.summary.count());
  EXPECT_EQ(one.summary.sum(), three.summary.sum());  // eighths: sums are exact in any order
  EXPECT_EQ(one.summary.min(), three.summary.min());
  EXPECT_EQ(one.summary.max(), three.summary.max());
  expect_close(one.summary.deviation(), three.summary.deviation());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraces, ::testing::Range(1U, 13U));

TEST(Summary, SumsBeyond64Bits) {
  Summary<std::uint64_t> a;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 3; ++i) a.add(kMost);
  EXPECT_TRUE(a.sum() == Int128{kMost} * 3);
  EXPECT_EQ(a.deviation(), 0);
}

TEST(Summary, KeepsSmallDeviationsOfLargeNumbers) {
  Summary<double> whole;
  Summary<double> first;
  Summary<double> second;
  for (int i = 0; i < 1000; ++i) {
    const double value = 1e15 + (i % 2 == 0 ? 1 : -1);
    whole.add(value);
    (i < 300 ? first : second).add(value);
  }
  first.merge(second);
  EXPECT_NEAR(whole.deviation(), 1, 1e-6);
  EXPECT_NEAR(first.deviation(), 1, 1e-6);
}

TEST(Summary, CountsNansAndLeavesThemOut) {
  Summary<double> summary;
  summary.add(std::numeric_limits<double>::quiet_NaN());
  summary.add(2);
  summary.add(4);
  EXPECT_EQ(summary.nans(), 1U);
  EXPECT_EQ(summary.count(), 2U);
  EXPECT_EQ(summary.mean(), 3);
  EXPECT_EQ(summary.min(), 2);
  Summary<double> whole;
  whole.merge(summary);
  EXPECT_EQ(whole.nans(), 1U);
}

TEST(Distribution, StaysWithinItsErrorForAllMagnitudes) {
  std::mt19937_64 random(5);
  std::vector<double> values;
  Distribution whole;
  Distribution parts[2];
  for (int i = 0; i < 20000; ++i) {
    const double magnitude = std::exp2(static_cast<double>(random() % 200) - 100);
    double value = magnitude * (1 + static_cast<double>(random() % 1000) / 1000);
    if (random() % 3 == 0) value = -value;
    if (random() % 50 == 0) value = 0;
    values.push_back(value);
    whole.add(value);
    parts[i % 17 == 0 ? 0 : 1].add(value);
  }
  parts[0].merge(parts[1]);
  EXPECT_FALSE(whole.exact());
  for (int half_percent = 0; half_percent <= 200; ++half_percent) {
    const double percent = half_percent / 2.0;
    const double exact = nearest_rank(values, percent);
    EXPECT_NEAR(whole.percentile(percent), exact, Distribution::kRelativeError * std::abs(exact));
    EXPECT_EQ(parts[0].percentile(percent), whole.percentile(percent));
  }
}

TEST(Distribution, IsExactForFewNumbersAndTakesInfinities) {
  Distribution few;
  EXPECT_EQ(few.percentile(50), 0);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {3.0, -infinity, 1.0, infinity, 2.0}) few.add(value);
  EXPECT_EQ(few.percentile(50), 2);
  EXPECT_EQ(few.percentile(0), -infinity);
  EXPECT_EQ(few.percentile(100), infinity);
  EXPECT_EQ(few.percentile(40), 1);
  Distribution many;
  for (int i = 0; i < 5000; ++i) many.add(i < 4000 ? 7 : infinity);
  many.add(-infinity);
  EXPECT_EQ(many.percentile(100), infinity);
  EXPECT_EQ(many.percentile(0), -infinity);
  EXPECT_NEAR(many.percentile(50), 7, 7 * Distribution::kRelativeError);
}

TEST(Histogram, CountsEachNumberInItsRow) {
  for (const Scale scale : {Scale::kLinear, Scale::kLogarithmic}) {
    Histogram histogram(0.5, 1000, 13, scale);
    Histogram half(0.5, 1000, 13, scale);
    std::vector<std::uint64_t> expected(13);
    std::mt19937_64 random(3);
    for (int i = 0; i < 3000; ++i) {
      const double value = static_cast<double>(random() % 2200) / 2;
      (i % 2 == 0 ? histogram : half).add(value);
      for (std::size_t row = 0; row < 13; ++row) {
        const bool last = row == 12;
        const bool in = value >= histogram.edge(row) &&
                        (last ? value <= histogram.edge(13) : value < histogram.edge(row + 1));
        expected[row] += in ? 1 : 0;
      }
    }
    histogram.merge(half);
    std::uint64_t total = histogram.below() + histogram.above();
    for (std::size_t row = 0; row < 13; ++row) {
      EXPECT_EQ(histogram.count(row), expected[row]);
      EXPECT_LT(histogram.edge(row), histogram.edge(row + 1));
      total += histogram.count(row);
    }
    EXPECT_EQ(total, 3000U);
    EXPECT_GT(histogram.above(), 0U);
  }
}

TEST(Histogram, CountsANumberAtAnEdgeInTheRowThatBeginsThere) {
  Histogram histogram(0, 4, 4);
  for (const double value : {0.0, 1.0, 1.0, 2.0, 3.0, 4.0}) histogram.add(value);
  EXPECT_EQ(histogram.count(0), 1U);
  EXPECT_EQ(histogram.count(1), 2U);
  EXPECT_EQ(histogram.count(2), 1U);
  EXPECT_EQ(histogram.count(3), 2U);
}

TEST(Histogram, HasOneRowForOneNumber) {
  Histogram histogram(7, 7, 20);
  histogram.add(7);
  EXPECT_EQ(histogram.rows(), 1U);
  EXPECT_EQ(histogram.count(0), 1U);
}

// Groups of the values 0 to 4, each twice.
Groups<Summary<std::int64_t>> three_groups_and_a_rest() {
  SegmentInfo segment;
  StreamInfo stream;
  Site site;
  const FieldPlace place = 0;
  Groups<Summary<std::int64_t>> groups({{KeyPartKind::kField, 0, 1}}, {}, 3);
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Value value = Value::of_unsigned(FieldType::u32, i % 5);
    RecordInfo info;
    info.site = &site;
    info.stream = &stream;
    info.segment = &segment;
    info.args = &value;
    info.places = {&place, 1};
    groups.of(info).add(1);
  }
  return groups;
}

TEST(Groups, BoundTheirNumberAndCountTheRestTogether) {
  Groups<Summary<std::int64_t>> groups = three_groups_and_a_rest();
  EXPECT_EQ(groups.size(), 3U);
  EXPECT_TRUE(groups.has_rest());
  EXPECT_EQ(groups.rest().count(), 4U);
  groups.merge(three_groups_and_a_rest());
  EXPECT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups.rest().count(), 8U);
}

}  // namespace
}  // namespace ringside::trace::query
