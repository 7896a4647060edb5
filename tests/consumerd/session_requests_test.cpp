// What a service or a tool can request from a session: to write everything out, or to continue in a
// new file.

#include <algorithm>
#include <array>
#include <cstdint>

#include "section_files.hpp"
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

// Late records can be older than the last point of the clock.
TEST_F(SessionTest, ARequestedFileBeginsWithTheLastClockPointsAndEveryStream) {
  const std::array<std::uint8_t, 16> boot_id = boot_id_of_this_machine();
  std::copy(boot_id.begin(), boot_id.end(), service_.header().boot_id);
  start_with_records();
  const auto& next_file = service_.control().consumer.next_file_sequence;
  EXPECT_EQ(next_file.load(), 1U);
  service_.control().tool_requests.rotation.store(1);
  while (service_.control().tool_answers.rotation.load() != 1) round();
  const std::vector<std::string> names = out_.names_with(".1.ringtrace");
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(next_file.load(), 2U);
  const TraceContent front = read_trace(out_.file(names[0]));
  EXPECT_EQ(front.sections, 1U);
  EXPECT_EQ(front.streams, 3U);
  EXPECT_GE(front.clocks, 2U);
  EXPECT_TRUE(counts_up_to(end(), 1, 100));
}

// A service refuses statements with many fields while its consumer is older.
TEST_F(SessionTest, TellsTheServiceThatItReadsWideSites) {
  shm::ConsumerLine& line = service_.control().consumer;
  line.session.store(41);
  line.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  EXPECT_TRUE(shm::refuses_wide_sites(line));
  start_with_records();
  EXPECT_EQ(line.session.load(), 42U);
  EXPECT_FALSE(shm::refuses_wide_sites(line));
}

// What a consumer can do is stored before its number, and seen before it.
TEST_F(SessionTest, RefusesNothingWhileANewConsumerEnters) {
  shm::ControlPage& control = service_.control();
  control.consumer.state.store(static_cast<std::uint32_t>(shm::ConsumerState::kPolling));
  for (const std::uint64_t session : {std::uint64_t{41}, std::uint64_t{0xFFFF'FFFF}}) {
    control.consumer.session.store(session);
    const auto set = [&](std::uint64_t known) {
      control.consumer.wide_session.store(static_cast<std::uint32_t>(known));
      control.tool_answers.durable_session.store(static_cast<std::uint32_t>(known));
    };
    set(session - 1);
    EXPECT_TRUE(shm::refuses_wide_sites(control.consumer));
    EXPECT_TRUE(shm::refuses_durable_flush(control));
    for (const std::uint64_t known : {session, session + 1}) {
      set(known);
      EXPECT_FALSE(shm::refuses_wide_sites(control.consumer));
      EXPECT_FALSE(shm::refuses_durable_flush(control));
    }
  }
}

}  // namespace
}  // namespace ringside::consumer_test
