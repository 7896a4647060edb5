// What becomes of a quarantined ring when its consumer or its service has ended.
#include <gtest/gtest.h>

#include "consumerd/drain/ring_drain.hpp"
#include "session_fixture.hpp"
#include "shm-layout/loss_cause.hpp"

namespace ringside::consumer_test {
namespace {

TEST_F(SessionTest, ANewConsumerEndsTheQuarantine) {
  service_.publish(0, 100);
  service_.ring(0).consumer.quarantine.store(static_cast<std::uint32_t>(Quarantine::kMapping));
  start();
  round();
  EXPECT_EQ(quarantine_of(0), Quarantine::kNone);
  EXPECT_TRUE(counts_up_to(end(), 1, 100));
}

TEST_F(SessionTest, WhatADeadServiceLeftInAQuarantinedRingIsCountedOnce) {
  start_with_records();
  service_.ring(0).counters.dropped_ring_full.store(5);
  service_.ring(0).counters.dropped_total.store(5);
  const std::uint64_t no_record[2] = {};
  service_.publish_raw(0, no_record, sizeof no_record);
  round();
  ASSERT_EQ(quarantine_of(0), Quarantine::kRecord);
  service_.publish(0, 11);
  service_.die();
  session_->begin_end(trace::EndReason::kServiceEnded);
  ASSERT_NE(session_->try_end(), SegmentSession::End::kNoSpace);
  const auto lost = session_->metrics().totals.lost;
  EXPECT_EQ(lost[shm::counter_of(shm::LossCause::kQuarantined)], 12U)
      << "estimated from the size of the records before";
  const TraceContent content = end();
  EXPECT_EQ(content.records, 300U);
  EXPECT_EQ(content.dropped, 12U + 5U);
}

}  // namespace
}  // namespace ringside::consumer_test
