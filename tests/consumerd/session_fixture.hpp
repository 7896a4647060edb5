#pragma once
// A session on a segment made by hand, driven step by step and without a process.

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "consumerd/session/segment_session.hpp"
#include "scripted_service.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/record_head.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {

using consumer::Quarantine;
using consumer::SegmentSession;

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    staging_ = consumer::StagingFile::create(shm_.path(), &why_);
    ASSERT_NE(staging_, nullptr) << why_;
    io_ = consumer::make_pwrite_io();
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, *io_, log_);
  }

  void start() { start(service_.name()); }
  void start(const std::string& segment_name) {
    consumer::AttachFailure failure;
    auto segment = consumer::AttachedSegment::attach(shm_.path(), segment_name, &failure);
    ASSERT_NE(segment, nullptr) << failure.why;
    session_ =
        SegmentSession::start(std::move(segment), out_.path(), *writer_, *staging_, log_, &why_);
    ASSERT_NE(session_, nullptr) << why_;
  }
  void round() {
    session_->poll();
    session_->tend();
    writer_->poll(false);
  }
  TraceContent end(trace::EndReason reason = trace::EndReason::kConsumerEnded) {
    session_->begin_end(reason);
    for (;;) {
      const SegmentSession::End end = session_->try_end();
      if (end == SegmentSession::End::kOver) break;
      if (end == SegmentSession::End::kNoSpace) session_->seal();
      writer_->poll(true);
    }
    session_->leave();
    session_.reset();
    TraceContent content = read_traces(out_.path(), "svc");
    EXPECT_TRUE(content.faults.empty()) << content.faults.front();
    return content;
  }
  Quarantine quarantine_of(std::uint32_t ring) {
    return static_cast<Quarantine>(service_.ring(ring).consumer.quarantine.load());
  }
  void append(std::uint32_t ring, std::uint32_t site, std::uint64_t value) {
    const std::uint64_t words[2] = {shm::make_head(shm::read_tsc(), site), value};
    service_.publish_raw(ring, words, sizeof words);
  }
  // Only `bad` is quarantined; the other rings are drained before and after.
  void expect_only(std::uint32_t bad, Quarantine reason) {
    round();
    EXPECT_EQ(quarantine_of(bad), reason);
    for (std::uint32_t ring = 0; ring < 3; ++ring) {
      if (ring == bad) continue;
      EXPECT_EQ(quarantine_of(ring), Quarantine::kNone) << ring;
      EXPECT_EQ(service_.publish(ring, 50), 50U);
    }
    for (int i = 0; i < 5; ++i) {
      const consumer::RoundResult result = session_->poll();
      if (i == 0) continue;
      EXPECT_EQ(result.fullest_permille, 0U) << "a quarantined ring keeps the loop busy";
    }
    const TraceContent content = end();
    for (std::uint32_t ring = 0; ring < 3; ++ring) {
      if (ring == bad) continue;
      EXPECT_TRUE(counts_up_to(content, ring + 1, 150)) << ring;
    }
  }
  void start_with_records() {
    start();
    for (std::uint32_t ring = 0; ring < 3; ++ring) service_.publish(ring, 100);
    round();
  }

  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  std::string why_;
  const consumer::Log log_;
  ScriptedService service_{shm_.path(), "svc", 1, 3};
  std::unique_ptr<consumer::StagingFile> staging_;
  std::unique_ptr<consumer::BlockIo> io_;
  std::unique_ptr<consumer::SlotWriter> writer_;
  std::unique_ptr<SegmentSession> session_;
};

}  // namespace ringside::consumer_test
