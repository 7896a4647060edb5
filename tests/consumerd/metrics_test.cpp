// Totals that never fall, whatever services do, and a bounded number of series, whatever names
// services choose.
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "consumerd/metrics/metrics_page.hpp"
#include "consumerd/metrics/service_table.hpp"
#include "consumerd/session/segment_meter.hpp"
#include "scripted_service.hpp"
#include "shm-layout/site_losses.hpp"
#include "temporary_directory.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::ServiceMetrics;
using consumer::ServiceRow;
using consumer::ServiceTable;
using consumer::ServiceTotals;
using shm::LossCause;

constexpr std::uint64_t kAny = UINT64_MAX;

ServiceTotals totals_of(std::uint64_t records, double blocked_s) {
  ServiceTotals totals;
  totals.records = records;
  totals.blocked_s = blocked_s;
  return totals;
}

ServiceRow row_of(const ServiceTable& table, const std::string& service) {
  for (const ServiceRow& row : table.rows()) {
    if (row.service == service) return row;
  }
  return {};
}

TEST(ServiceTable, KeepsWhatEndedProcessesCounted) {
  ServiceTable table;
  ServiceTable::Row* const first = table.enter("orders");
  ServiceTable::Row* const second = table.enter("orders");
  ServiceTable::count(first, {}, totals_of(10, 1));
  ServiceTable::count(first, totals_of(10, 1), totals_of(15, 3));
  ServiceTable::count(second, {}, totals_of(100, 0.5));
  EXPECT_EQ(row_of(table, "orders").processes, 2U);
  table.leave(first);
  table.leave(second);
  EXPECT_EQ(row_of(table, "orders").processes, 0U);
  EXPECT_EQ(row_of(table, "orders").totals.records, 115U);
  EXPECT_EQ(row_of(table, "orders").totals.blocked_s, 3.5);
  ServiceTable::count(table.enter("orders"), {}, totals_of(1, 0));
  EXPECT_EQ(row_of(table, "orders").totals.records, 116U);
}

TEST(ServiceTable, TakesTheWorstOfStatesAndAddsAmounts) {
  ServiceTable table;
  ServiceTable::Row* const row = table.enter("orders");
  consumer::ServiceState one;
  one.threads = 3;
  one.fill = 0.25;
  one.unwritten_bytes = 10;
  one.stalled = 1;
  consumer::ServiceState other = one;
  other.fill = 0.75;
  ServiceTable::add_state(row, one);
  ServiceTable::add_state(row, other);
  const ServiceRow both = row_of(table, "orders");
  EXPECT_EQ(both.state.threads, 6U);
  EXPECT_EQ(both.state.fill, 0.75);
  EXPECT_EQ(both.state.unwritten_bytes, 20);
  EXPECT_EQ(both.state.stalled, 2U);
  table.clear_states();
  EXPECT_EQ(row_of(table, "orders").state.threads, 0U);
}

TEST(ServiceTable, MakesRoomByTheServiceThatEndedLongestAgo) {
  ServiceTable table(3);
  ServiceTable::Row* const a = table.enter("a");
  ServiceTable::Row* const b = table.enter("b");
  table.enter("c");
  table.leave(b);
  table.leave(a);
  ServiceTable::count(table.enter("d"), {}, totals_of(1, 0));
  EXPECT_EQ(row_of(table, "b").service, "");
  EXPECT_EQ(row_of(table, "a").service, "a");
  EXPECT_EQ(row_of(table, "d").totals.records, 1U);
  EXPECT_EQ(table.rows().size(), 3U);
}

TEST(ServiceTable, CountsServicesTogetherForWhichThereIsNoRoom) {
  ServiceTable table(2);
  table.enter("a");
  table.enter("b");
  for (const char* const service : {"c", "d"}) {
    ServiceTable::Row* const row = table.enter(service);
    ServiceTable::count(row, {}, totals_of(5, 0));
    table.leave(row);
  }
  EXPECT_EQ(table.rows().size(), 3U);
  EXPECT_EQ(row_of(table, ServiceTable::kOthers).totals.records, 10U);
}

TEST(ServiceTable, IsBoundedWhateverNamesThereAre) {
  ServiceTable table;
  for (std::size_t i = 0; i < 3 * ServiceTable::kMostServices; ++i) {
    table.leave(table.enter("short" + std::to_string(i)));
    table.enter("long" + std::to_string(i));
  }
  EXPECT_EQ(table.rows().size(), ServiceTable::kMostServices + 1);
}

class SegmentMeter : public testing::Test {
 protected:
  void SetUp() override {
    consumer::AttachFailure failure;
    segment_ = consumer::AttachedSegment::attach(shm_.path(), service_.name(), &failure);
    ASSERT_NE(segment_, nullptr) << failure.why;
    meter_ = std::make_unique<consumer::SegmentMeter>(*segment_, false);
  }

  ServiceMetrics read() {
    ServiceMetrics metrics;
    meter_->read(&sites_, &metrics);
    return metrics;
  }
  // As if consumerd had read these statements from the dictionary.
  void know(const std::map<std::uint32_t, std::pair<std::string, std::uint32_t>>& places) {
    const auto& committed = service_.control().service.dictionary_committed_bytes;
    const std::uint64_t before = committed.load();
    for (const auto& [id, place] : places) {
      if (id != 1) service_.add_site(id, shm::FieldType::u64, place.first, place.second);
    }
    const std::byte* const entries =
        service_.bytes() + service_.layout().dictionary_offset + before;
    std::string why;
    ASSERT_TRUE(sites_.add(std::span(entries, committed.load() - before), &why)) << why;
  }
  static std::uint64_t lost(const ServiceMetrics& metrics, LossCause cause) {
    return metrics.totals.lost[shm::counter_of(cause)];
  }

  TemporaryDirectory shm_;
  ScriptedService service_{shm_.path(), "orders", 1, 2};
  std::unique_ptr<consumer::AttachedSegment> segment_;
  std::unique_ptr<consumer::SegmentMeter> meter_;
  trace::SiteTable sites_;
};

TEST_F(SegmentMeter, ReportsTheFullestRingAndUnwrittenBytes) {
  service_.publish(0, 1024);
  service_.publish(1, 2048);
  const ServiceMetrics metrics = read();
  EXPECT_EQ(metrics.state.threads, 2U);
  EXPECT_EQ(metrics.state.ring_bytes, ScriptedService::kRingBytes);
  EXPECT_EQ(metrics.state.fill,
            2048.0 * ScriptedService::kRecordBytes / ScriptedService::kRingBytes);
  EXPECT_EQ(metrics.state.high_water, metrics.state.fill);
  EXPECT_EQ(metrics.state.unwritten_bytes, 3072.0 * ScriptedService::kRecordBytes);
}

TEST_F(SegmentMeter, AddsUpWaitsOverTheOwnersOfARing) {
  const double hz = static_cast<double>(service_.header().tsc_frequency_hz);
  auto& ring = service_.ring(0);
  ring.counters.blocked_ticks = 1000;
  EXPECT_DOUBLE_EQ(read().totals.blocked_s * hz, 1000);
  ring.counters.blocked_ticks = 1500;
  EXPECT_DOUBLE_EQ(read().totals.blocked_s * hz, 1500);
  ++ring.identity.generation;
  ring.counters.blocked_ticks = 2000;  // the next owner's
  EXPECT_DOUBLE_EQ(read().totals.blocked_s * hz, 3500);
}

TEST_F(SegmentMeter, CountsRefusalsOfStatementsWithoutAnEntry) {
  service_.control().losses.no_ring = 7;
  EXPECT_EQ(lost(read(), LossCause::kNoRing), 7U);
  service_.control().losses.no_ring = 9;
  EXPECT_EQ(lost(read(), LossCause::kNoRing), 9U);
}

TEST_F(SegmentMeter, AddsUpExecutionsByPlace) {
  know({{2, {"src/\"order\".cpp", 17}}, {3, {"src/order.cpp", 18}}, {300, {"a\xFF\n.cpp", 7}}});
  service_.control().losses.sites_with_executions = 512;
  service_.executions(2, 0).counted = 5;
  service_.executions(2, 7).counted = 6;
  service_.executions(300, 3).suppressed = 9;
  service_.executions(4, 0).counted = 1;  // a statement that is not known yet
  const auto by_place = read().totals.statements.by_place();
  EXPECT_EQ(by_place.size(), 2U);
  EXPECT_EQ(by_place.at("\"order\".cpp:17").counted, 11U);
  EXPECT_EQ(by_place.at("\"order\".cpp:17").suppressed, 0U);
  EXPECT_EQ(by_place.at("a??.cpp:7").suppressed, 9U);
  service_.executions(2, 7).counted = 2;
  EXPECT_EQ(read().totals.statements.by_place().at("\"order\".cpp:17").counted, 11U);
  service_.executions(2, 7).counted = 20;
  EXPECT_EQ(read().totals.statements.by_place().at("\"order\".cpp:17").counted, 25U);
}

TEST_F(SegmentMeter, CountsStatementsBeyondTheFirstPlacesTogether) {
  std::map<std::uint32_t, std::pair<std::string, std::uint32_t>> sites;
  for (std::uint32_t id = 2; id < 2000; ++id) sites[id] = {"many.cpp", id};
  know(sites);
  service_.control().losses.sites_with_executions = 4096;
  const auto sum_of = [&] {
    std::uint64_t sum = 0;
    ServiceMetrics metrics;
    for (int part = 0; part < 4; ++part) metrics = read();
    for (const auto& [place, count] : metrics.totals.statements.by_place()) sum += count.counted;
    EXPECT_EQ(metrics.totals.statements.by_place().size(),
              consumer::StatementCounts::kMostPlaces + 1);
    return sum;
  };
  for (std::uint32_t id = 2; id < 2000; ++id) service_.executions(id, id % 8).counted = 10;
  EXPECT_EQ(sum_of(), 19980U);
  for (std::uint32_t id = 2; id < 2000; ++id) service_.executions(id, id % 8).counted = 11;
  EXPECT_EQ(sum_of(), 21978U);
}

TEST_F(SegmentMeter, HasNoExecutionsWithoutTheirRegion) {
  know({{2, {"order.cpp", 17}}});
  service_.control().losses.sites_with_executions = UINT32_MAX;
  service_.executions(2, 0).counted = 5;
  EXPECT_FALSE(read().totals.statements.by_place().empty());
  for (shm::Region& region : service_.header().regions) {
    if (region.kind == shm::RegionKind::kSiteExecutions) region.kind = shm::RegionKind::kNone;
  }
  segment_.reset();
  SetUp();
  EXPECT_TRUE(read().totals.statements.by_place().empty());
}

TEST_F(SegmentMeter, TotalsDoNotFallWhateverTheServiceWrites) {
  std::map<std::uint32_t, std::pair<std::string, std::uint32_t>> sites;
  for (std::uint32_t id = 1; id < 256; ++id) sites[id] = {"many.cpp", id};
  know(sites);
  ServiceMetrics before = read();
  std::uint64_t word = 1;
  const auto any = [&word] {
    word = word * 6364136223846793005U + 1442695040888963407U;
    return word % 5 == 0 ? kAny : word;
  };
  for (int round = 0; round < 1000; ++round) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      shm::RingMetadata& ring = service_.ring(i);
      ring.producer.producer_pos = any();
      ring.consumer.consumer_pos = any();
      ring.consumer.written_pos = any();
      ring.consumer.high_water_bytes = any();
      ring.counters.blocked_ticks = any();
      ring.counters.dropped_total = any();
      ring.identity.generation = static_cast<std::uint32_t>(any());
    }
    service_.control().losses.no_ring = any();
    service_.control().losses.no_memory = any();
    service_.control().losses.sites_counted = static_cast<std::uint32_t>(any());
    service_.control().losses.sites_with_executions = static_cast<std::uint32_t>(any());
    service_.control().service.rings_used = static_cast<std::uint32_t>(any());
    for (std::uint32_t i = 0; i < 20; ++i) {
      service_.executions(static_cast<std::uint32_t>(any() % 256), i % 8).counted = any();
    }
    const ServiceMetrics now = read();
    for (const auto& [place, count] : before.totals.statements.by_place()) {
      ASSERT_GE(now.totals.statements.by_place().at(place).counted, count.counted) << place;
    }
    ASSERT_LE(now.totals.statements.by_place().size(), consumer::StatementCounts::kMostPlaces + 1);
    for (std::size_t i = 0; i < now.totals.lost.size(); ++i) {
      ASSERT_GE(now.totals.lost[i], before.totals.lost[i]) << i;
    }
    ASSERT_GE(now.totals.blocked_s, before.totals.blocked_s);
    for (const double ratio : {now.state.fill, now.state.high_water}) {
      ASSERT_GE(ratio, 0);
      ASSERT_LE(ratio, 1);
    }
    ASSERT_GE(now.state.unwritten_bytes, 0);
    before = now;
  }
  EXPECT_EQ(lost(before, LossCause::kNoRing), kAny);
}

TEST(MetricsPage, HasASeriesForEachServiceAndCauseAndNoOther) {
  consumer::MetricsSnapshot snapshot;
  snapshot.services = {{"orders", {}, {}, 2}, {"(others)", {}, {}, 0}};
  snapshot.services[0].totals.lost[shm::counter_of(LossCause::kRingFull)] = 3;
  snapshot.services[0].totals.lost[shm::counter_of(LossCause::kTooLarge)] = 4;
  const std::string page = consumer::metrics_page(snapshot, 0.5);
  for (const char* const line :
       {"ringside_lost_records_total{service=\"orders\",cause=\"ring_full\"} 3\n",
        "ringside_lost_records_total{service=\"(others)\",cause=\"no_ring\"} 0\n",
        "ringside_cut_records_total{service=\"orders\"} 4\n",
        "ringside_processes{service=\"orders\"} 2\n",
        "ringside_poll_heartbeat_age_seconds 0.5\n"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line << page;
  }
  EXPECT_EQ(page.find("too_large"), std::string::npos) << "those are not lost";
  EXPECT_EQ(page.find("unknown"), std::string::npos);
}

TEST(MetricsPage, HasSeriesForStatementsThatCountedOnly) {
  consumer::MetricsSnapshot snapshot;
  snapshot.services = {{"orders", {}, {}, 2}, {"quotes", {}, {}, 1}};
  EXPECT_EQ(consumer::metrics_page(snapshot, 0).find("ringside_statement"), std::string::npos);
  snapshot.services[0].totals.statements.at("order.cpp:17") = {5, 0};
  snapshot.services[0].totals.statements.at("\"odd\\.cpp:18") = {0, 7};
  const std::string page = consumer::metrics_page(snapshot, 0);
  for (const char* const line :
       {"# TYPE ringside_statement_executions_total counter\n",
        "ringside_statement_executions_total{service=\"orders\",site=\"order.cpp:17\"} 5\n",
        R"(ringside_statement_suppressed_total{service="orders",site="\"odd\\.cpp:18"} 7)"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line << page;
  }
  EXPECT_EQ(page.find("executions_total{service=\"orders\",site=\"\\"), std::string::npos);
  EXPECT_EQ(page.find("ringside_statement_executions_total{service=\"quotes"), std::string::npos);
}

TEST(ServiceTable, AddsUpTheExecutionsOfItsProcesses) {
  ServiceTable table;
  ServiceTable::Row* const row = table.enter("orders");
  ServiceTotals first;
  first.statements.at("a.cpp:1") = {5, 1};
  ServiceTotals grown;
  grown.statements.at("a.cpp:1") = {7, 1};
  grown.statements.at("b.cpp:2") = {1, 0};
  ServiceTable::count(row, {}, first);
  ServiceTable::count(row, first, grown);
  ServiceTable::count(table.enter("orders"), {}, first);
  const auto by_place = row_of(table, "orders").totals.statements.by_place();
  EXPECT_EQ(by_place.at("a.cpp:1").counted, 12U);
  EXPECT_EQ(by_place.at("a.cpp:1").suppressed, 2U);
  EXPECT_EQ(by_place.at("b.cpp:2").counted, 1U);
  ServiceTotals many;
  for (int i = 0; i < 1000; ++i) many.statements.at("c.cpp:" + std::to_string(i)) = {1, 0};
  ServiceTable::count(row, {}, many);
  EXPECT_EQ(row_of(table, "orders").totals.statements.by_place().size(),
            consumer::StatementCounts::kMostPlaces + 1);
}

TEST(MetricsPage, HasSeriesForEachTriggerFiredOrNot) {
  consumer::MetricsSnapshot snapshot;
  EXPECT_EQ(consumer::metrics_page(snapshot, 0).find("ringside_trigger"), std::string::npos);
  snapshot.consumer.triggers = {{"late \"fill\"", {3, 40, 2, 1763733600.5}}, {"quiet", {}}};
  const std::string page = consumer::metrics_page(snapshot, 0);
  for (const char* const line :
       {"# TYPE ringside_trigger_fired_total counter\n",
        "ringside_trigger_fired_total{trigger=\"late \\\"fill\\\"\"} 3\n",
        "ringside_trigger_held_back_total{trigger=\"late \\\"fill\\\"\"} 40\n",
        "ringside_trigger_hook_failures_total{trigger=\"late \\\"fill\\\"\"} 2\n",
        "# TYPE ringside_trigger_last_fired_timestamp_seconds gauge\n",
        R"(ringside_trigger_last_fired_timestamp_seconds{trigger="late \"fill\""} 1763733600.5)",
        "ringside_trigger_fired_total{trigger=\"quiet\"} 0\n",
        "ringside_trigger_last_fired_timestamp_seconds{trigger=\"quiet\"} 0\n"}) {
    EXPECT_NE(page.find(line), std::string::npos) << line << page;
  }
}

TEST(MetricsPage, PutsEveryRoundIntoOneBucketAndAllLargerOnes) {
  consumer::MetricsSnapshot snapshot;
  for (const double seconds : {0.0, 1e-5, 0.005, 3600.0}) snapshot.consumer.rounds.add(seconds);
  const std::string page = consumer::metrics_page(snapshot, 0);
  const std::string name = "ringside_poll_round_duration_seconds";
  for (const char* const line :
       {"_bucket{le=\"1e-05\"} 2\n", "_bucket{le=\"0.001\"} 2\n", "_bucket{le=\"0.01\"} 3\n",
        "_bucket{le=\"10\"} 3\n", "_bucket{le=\"+Inf\"} 4\n", "_count 4\n"}) {
    EXPECT_NE(page.find(name + line), std::string::npos) << line << page;
  }
}

}  // namespace
}  // namespace ringside::consumer_test
