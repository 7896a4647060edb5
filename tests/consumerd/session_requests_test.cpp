// What a service or a tool can request from a session: to write everything out, or to continue in a
// new file.

#include <algorithm>

#include "session_fixture.hpp"

namespace ringside::consumer_test {
namespace {

TEST_F(SessionTest, AnswersAFlushOnlyWhenItsBytesAreInTheFile) {
  start_with_records();
  service_.publish(0, 10);
  service_.control().service.flush_request.fetch_add(1);
  session_->poll();
  // pwrite has completed, but its completion has not been collected.
  EXPECT_EQ(service_.control().consumer.flush_done.load(), 0U);
  writer_->poll(false);
  session_->poll();
  EXPECT_EQ(service_.control().consumer.flush_done.load(), 1U);
  EXPECT_TRUE(counts_up_to(read_traces(out_.path(), "svc"), 1, 110));
}

// All rings are full again at each check: they hold more than one round takes.
TEST_F(SessionTest, AnswersAFlushHoweverMuchIsLoggedMeanwhile) {
  constexpr std::uint32_t kRings = 600;
  ScriptedService wide(shm_.path(), "wide", 2, kRings);
  start(wide.name());
  const auto fill_all = [&] {
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      wide.publish(ring, ScriptedService::kRingBytes / ScriptedService::kRecordBytes);
    }
  };
  fill_all();
  wide.control().service.flush_request.store(1);
  wide.control().tool_requests.flush.store(7);
  std::vector<std::uint64_t> asked_for;
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    asked_for.push_back(wide.ring(ring).producer.producer_pos.load());
  }
  constexpr int kRounds = 40;
  int rounds = 0;
  while (wide.control().consumer.flush_done.load() != 1 && rounds++ < kRounds) {
    round();
    fill_all();
    writer_->poll(true);
  }
  EXPECT_LT(rounds, kRounds);
  EXPECT_EQ(wide.control().tool_answers.flush.load(), 7U);
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    ASSERT_GE(wide.ring(ring).consumer.written_pos.load(), asked_for[ring]) << ring;
  }
  session_.reset();
}

// A service can write to these words, too: it must not cause a new file in every round.
TEST_F(SessionTest, StartsAtMostTenRequestedFilesASecond) {
  start_with_records();
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t asked = 0;
  for (int i = 0; i < 2000; ++i) {
    service_.control().tool_requests.rotation.store(++asked);
    service_.publish(0, 1);
    round();
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  const auto most = static_cast<std::size_t>(took / std::chrono::milliseconds(100)) + 2;
  const std::size_t files = out_.names_with("svc").size();
  EXPECT_LE(files, most);
  // Each request is answered nevertheless.
  while (service_.control().tool_answers.rotation.load() < asked) round();
  EXPECT_GT(out_.names_with("svc").size(), 1U);
  EXPECT_TRUE(counts_up_to(end(), 1, 2100));
}

}  // namespace
}  // namespace ringside::consumer_test
