// The time between two sites, joined by a field, compared with a plain computation in the order of
// time.
#include "trace-format/query/gap.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "query_trace.hpp"

namespace ringside::trace::query {
namespace {

using namespace trace::testing;
using shm::FieldType;

const std::vector<QuerySite> kGapSites{
    {.id = 2, .format = "request started", .fields = {{.type = FieldType::u64, .name = "id"}}},
    {.id = 3,
     .format = "request finished",
     .fields = {{.type = FieldType::i32, .name = "status"},
                {.type = FieldType::u32, .name = "request"}}}};

GapQuery requests() {
  GapQuery query;
  query.from = SiteSelector::text("request started");
  query.to = SiteSelector::text("request finished");
  query.by = {"id"};
  query.to_by = {"request"};
  return query;
}

struct Collected {
  std::vector<std::uint64_t> gaps;
  GapResult result;
};

Collected collect(const std::vector<std::string>& paths, const GapQuery& query) {
  Collected collected;
  collected.result =
      visit_gaps(paths, query, [&](const Gap& gap) { collected.gaps.push_back(gap.ns); });
  EXPECT_TRUE(collected.result.ok()) << collected.result.text();
  return collected;
}

void start(QueryTrace& trace, std::uint64_t stream, std::uint64_t ns, std::uint64_t id) {
  trace.record(stream, 2, ns, raw(id));
}

void finish(QueryTrace& trace, std::uint64_t stream, std::uint64_t ns, std::uint32_t id) {
  trace.record(stream, 3, ns, raw(std::int32_t{200}) + raw(id));
}

TEST(Gaps, AreThoseOfAPlainComputationInTheOrderOfTime) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937_64 random(seed);
    QueryTrace trace(kGapSites);
    std::map<std::uint64_t, std::uint64_t> open;
    std::vector<std::uint64_t> expected;
    GapCounts counts;
    std::uint64_t now = 1000;
    for (int i = 0; i < 2000; ++i) {
      now += 1 + random() % 90;
      const std::uint64_t stream = 1 + random() % 3;
      const std::uint64_t id = random() % 40;
      if (random() % 2 == 0) {
        start(trace, stream, now, id);
        if (open.contains(id)) ++counts.restarted;
        open[id] = now;
      } else {
        finish(trace, stream, now, static_cast<std::uint32_t>(id));
        if (open.contains(id)) {
          expected.push_back(now - open[id]);
          open.erase(id);
        } else {
          ++counts.unmatched_ends;
        }
      }
      if (random() % 300 == 0) trace.write_out();
    }
    const TemporaryDirectory directory;
    const Collected got = collect({directory.write("a.ringtrace", trace.bytes())}, requests());
    EXPECT_EQ(got.gaps, expected);
    EXPECT_EQ(got.result.counts.matched, expected.size());
    EXPECT_EQ(got.result.counts.restarted, counts.restarted);
    EXPECT_EQ(got.result.counts.unmatched_begins, counts.restarted + open.size());
    EXPECT_EQ(got.result.counts.unmatched_ends, counts.unmatched_ends);
  }
}

TEST(Gaps, StayInOneProcessUnlessAskedToCross) {
  const TemporaryDirectory directory;
  QueryTrace client(kGapSites, "client", 1);
  start(client, 1, 100, 7);
  QueryTrace server(kGapSites, "server", 2);
  finish(server, 1, 350, 7);
  const std::vector<std::string> paths{directory.write("a.ringtrace", client.bytes()),
                                       directory.write("b.ringtrace", server.bytes())};
  GapQuery query = requests();
  const Collected apart = collect(paths, query);
  EXPECT_TRUE(apart.gaps.empty());
  EXPECT_EQ(apart.result.counts.unmatched_begins, 1U);
  EXPECT_EQ(apart.result.counts.unmatched_ends, 1U);
  query.across_processes = true;
  EXPECT_EQ(collect(paths, query).gaps, (std::vector<std::uint64_t>{250}));
}

TEST(Gaps, ForgetTheOldestBeginningWhenTooManyWait) {
  const TemporaryDirectory directory;
  QueryTrace trace(kGapSites);
  for (std::uint32_t id = 0; id < 5; ++id) start(trace, 1, 100 + id, id);
  for (std::uint32_t id = 0; id < 5; ++id) finish(trace, 1, 200 + 2 * id, id);
  GapQuery query = requests();
  query.most_open = 3;
  const Collected got = collect({directory.write("a.ringtrace", trace.bytes())}, query);
  EXPECT_EQ(got.gaps, (std::vector<std::uint64_t>{102, 103, 104}));
  EXPECT_EQ(got.result.counts.evicted, 2U);
  EXPECT_EQ(got.result.counts.unmatched_begins, 2U);
  EXPECT_EQ(got.result.counts.unmatched_ends, 2U);
}

TEST(Gaps, AreNoneIfALateEndIsOlderThanItsBeginning) {
  const TemporaryDirectory directory;
  QueryTrace trace(kGapSites);
  start(trace, 1, 1000, 7);
  trace.write_out();
  finish(trace, 2, 400, 7);
  const Collected got = collect({directory.write("a.ringtrace", trace.bytes())}, requests());
  EXPECT_EQ(got.gaps, (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(got.result.report.late_records, 1U);
}

TEST(Gaps, OfOneSiteAreThoseBetweenItsRecords) {
  const TemporaryDirectory directory;
  QueryTrace trace(kGapSites);
  for (const std::uint64_t ns : {100U, 130U, 190U}) start(trace, 1, ns, 1);
  start(trace, 1, 195, 2);
  GapQuery query = requests();
  query.to = query.from;
  query.to_by.clear();
  const Collected got = collect({directory.write("a.ringtrace", trace.bytes())}, query);
  EXPECT_EQ(got.gaps, (std::vector<std::uint64_t>{30, 60}));
  EXPECT_EQ(got.result.counts.restarted, 0U);
  EXPECT_EQ(got.result.counts.unmatched_begins, 2U);
}

TEST(Gaps, NameTheMissingField) {
  const TemporaryDirectory directory;
  QueryTrace trace(kGapSites);
  start(trace, 1, 100, 1);
  const std::vector<std::string> paths{directory.write("a.ringtrace", trace.bytes())};
  GapQuery query = requests();
  query.to_by.clear();
  const GapResult result = visit_gaps(paths, query, [](const Gap&) { FAIL(); });
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->field, "id");
  EXPECT_NE(result.text().find("#1 status (i32), #2 request (u32)"), std::string::npos)
      << result.text();
  query.to_by = {"status", "request"};
  EXPECT_TRUE(visit_gaps(paths, query, [](const Gap&) { FAIL(); }).error);
}

}  // namespace
}  // namespace ringside::trace::query
