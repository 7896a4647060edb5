// Totals that never fall, whatever services do, and a bounded number of series, whatever names
// services choose.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "consumerd/metrics/metrics_page.hpp"
#include "consumerd/metrics/service_table.hpp"
#include "consumerd/session/segment_meter.hpp"
#include "scripted_service.hpp"
#include "shm-layout/site_losses.hpp"
#include "temporary_directory.hpp"

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
    meter_->read(&metrics);
    return metrics;
  }
  static std::uint64_t lost(const ServiceMetrics& metrics, LossCause cause) {
    return metrics.totals.lost[shm::counter_of(cause)];
  }

  TemporaryDirectory shm_;
  ScriptedService service_{shm_.path(), "orders", 1, 2};
  std::unique_ptr<consumer::AttachedSegment> segment_;
  std::unique_ptr<consumer::SegmentMeter> meter_;
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

TEST_F(SegmentMeter, TotalsDoNotFallWhateverTheServiceWrites) {
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
    service_.control().service.rings_used = static_cast<std::uint32_t>(any());
    const ServiceMetrics now = read();
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
