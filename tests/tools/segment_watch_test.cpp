// ringstat's results for a segment that it polls repeatedly.
#include "tools/ringstat/segment_watch.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/consumerd/scripted_service.hpp"
#include "tests/consumerd/temporary_directory.hpp"

namespace ringside::tool {
namespace {

using consumer_test::ScriptedService;
using consumer_test::TemporaryDirectory;

class SegmentWatchTest : public testing::Test {
 protected:
  const ServiceView& look() {
    std::string why;
    EXPECT_TRUE(watch_.look(&why)) << why;
    EXPECT_EQ(watch_.services().size(), 1U);
    return watch_.services().front();
  }

  TemporaryDirectory shm_;
  ScriptedService service_{shm_.path(), "orders", 1, 1};
  SegmentWatch watch_{{shm_.path(), {}, {}}};
};

// Nothing is recorded at the moment of the poll, and more than a sample holds before it.
TEST_F(SegmentWatchTest, StatementsOfABurstBetweenTwoPollsAreSeen) {
  service_.publish(0, 100);
  look();
  ASSERT_EQ(service_.publish(0, 2500), 2500U);
  const ServiceView& view = look();
  ASSERT_EQ(view.statements.size(), 1U);
  EXPECT_EQ(view.statements[0].share, 1);
  EXPECT_GT(view.statements[0].records_per_s, 0);
  EXPECT_NEAR(view.statements[0].bytes_per_s, view.bytes_per_s, view.bytes_per_s / 1000);
  EXPECT_NEAR(view.statements[0].records_per_s * ScriptedService::kRecordBytes, view.bytes_per_s,
              view.bytes_per_s / 1000);
}

TEST_F(SegmentWatchTest, WithoutRecordsNoStatementHasAShare) {
  service_.publish(0, 100);
  look();
  const ServiceView& view = look();
  ASSERT_EQ(view.statements.size(), 1U);
  EXPECT_EQ(view.statements[0].share, 0);
}

// The records since the previous poll are overwritten, so the sample comes from the time window, in
// which nothing was recorded.
TEST_F(SegmentWatchTest, OverwrittenRecordsAreNotSampled) {
  service_.publish(0, 100);
  look();
  auto& ring = service_.ring(0);
  ring.consumer.consumer_pos = ring.producer.producer_pos.load();
  ASSERT_EQ(service_.publish(0, 4000), 4000U);
  ring.consumer.consumer_pos = ring.producer.producer_pos.load();
  ASSERT_EQ(service_.publish(0, 200), 200U);
  EXPECT_EQ(look().statements.at(0).share, 0);
}

TEST_F(SegmentWatchTest, APollWithoutRecordsKeepsTheSharesOfStatements) {
  service_.publish(0, 100);
  look();
  auto& ring = service_.ring(0);
  ring.consumer.consumer_pos = ring.producer.producer_pos.load();
  ASSERT_EQ(service_.publish(0, 500), 500U);
  ASSERT_EQ(look().statements.at(0).share, 1);
  ring.consumer.consumer_pos = ring.producer.producer_pos.load();
  ASSERT_EQ(service_.publish(0, 3500), 3500U);
  ring.consumer.consumer_pos = ring.producer.producer_pos.load();
  ASSERT_EQ(service_.publish(0, 1500), 1500U);
  const ServiceView& view = look();
  EXPECT_EQ(view.statements.at(0).share, 1);
  EXPECT_NEAR(view.statements[0].bytes_per_s, view.bytes_per_s, view.bytes_per_s / 1000);
  EXPECT_GT(view.statements[0].records_per_s, 0);
  EXPECT_EQ(look().statements.at(0).share, 0) << "nothing is recorded any more";
}

// No consumer drains it, so it fills whatever its size.
TEST_F(SegmentWatchTest, AQuarantinedRingIsNotAReasonForLargerRings) {
  service_.publish(0, 1000);
  look();
  service_.publish(0, 1000);
  const ServiceView& full = look();
  EXPECT_NE(full.recommended_ring_bytes, 0U);
  EXPECT_TRUE(full.overflow_s);
  service_.ring(0).consumer.quarantine = 1;
  service_.publish(0, 1000);
  const ServiceView& view = look();
  EXPECT_NE(view.fullest_permille, 0U);
  EXPECT_EQ(view.recommended_ring_bytes, 0U);
  EXPECT_EQ(view.threads.at(0).recommended_ring_bytes, 0U);
  EXPECT_FALSE(view.overflow_s);
}

}  // namespace
}  // namespace ringside::tool
