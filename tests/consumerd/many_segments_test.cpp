// More segments than staging slots, services that end beside others that live on, and checks of
// idle rings.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <gtest/gtest.h>
#include <ringside/ringside.hpp>
#include <sys/wait.h>

#include "consumerd/session/segment_session.hpp"
#include "consumerd_process.hpp"
#include "scripted_service.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

constexpr unsigned kServices = 40;  // consumerd has 15 slots

class ManySegments : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (unsigned i = 0; i < kServices; ++i) {
      services_.push_back(
          std::make_unique<ScriptedService>(shm_.path(), "svc" + std::to_string(i), i + 1, 2));
    }
  }
  void expect_all(std::uint64_t records) {
    for (unsigned i = 0; i < kServices; ++i) {
      const TraceContent content = read_traces(out_.path(), "svc" + std::to_string(i));
      EXPECT_TRUE(content.faults.empty()) << content.faults.front();
      EXPECT_TRUE(counts_up_to(content, 1, records)) << i;
      EXPECT_TRUE(counts_up_to(content, 2, records)) << i;
    }
  }

  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  std::vector<std::unique_ptr<ScriptedService>> services_;
};

TEST_P(ManySegments, AllRecordsOfFortyServicesArrive) {
  ConsumerdProcess consumerd({"-o", out_.path(), "--shm-dir", shm_.path(), "--io", GetParam()});
  constexpr std::uint64_t kRecords = 20'000;
  ASSERT_TRUE(comes_true([&] {
    bool reached = true;
    for (const auto& service : services_) {
      for (std::uint32_t ring = 0; ring < 2; ++ring) {
        service->publish(ring, kRecords - service->published(ring));
        reached = reached && service->published(ring) == kRecords;
      }
    }
    return reached;
  })) << consumerd.error_output();
  // Half of them end; the others still run when consumerd is stopped.
  for (unsigned i = 0; i < kServices; i += 2) services_[i]->die();
  ASSERT_TRUE(comes_true([&] { return shm_.names_with("ringside.").size() == kServices / 2; }));
  EXPECT_EQ(consumerd.terminate(), 0) << consumerd.error_output();
  EXPECT_EQ(consumerd.reported_problems(), "");
  expect_all(kRecords);
}

INSTANTIATE_TEST_SUITE_P(Io, ManySegments, testing::Values("auto", "pwrite"));

TEST_F(ManySegments, OnceDrainsMoreSegmentsThanThereAreSlots) {
  for (const auto& service : services_) {
    service->publish(0, 1000);
    service->publish(1, 1000);
  }
  ConsumerdProcess consumerd({"-o", out_.path(), "--shm-dir", shm_.path(), "--once"});
  EXPECT_EQ(consumerd.wait(), 0) << consumerd.error_output();
  expect_all(1000);
}

TEST(OutputDirectory, ThatVanishesIsReportedAndNoFurtherSegmentIsTaken) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  const std::string dir = out.file("sub");
  std::filesystem::create_directory(dir);
  // The sandbox permits the directory that exists at the start.
  ConsumerdProcess consumerd({"-o", dir, "--shm-dir", shm.path(), "--sandbox", "off"});
  ASSERT_TRUE(comes_true([&] { return !shm.names_with("ringside-staging.").empty(); }));
  std::filesystem::remove(dir);
  ScriptedService service(shm.path(), "svc", 1, 1);
  service.publish(0, 100);
  ASSERT_TRUE(comes_true([&] { return consumerd.error_output().find(dir) != std::string::npos; }))
      << consumerd.error_output();
  EXPECT_EQ(service.ring(0).consumer.consumer_pos.load(), 0U);
  std::filesystem::create_directory(dir);
  ASSERT_TRUE(comes_true([&] { return service.ring(0).consumer.written_pos.load() == 1600; }));
  EXPECT_EQ(consumerd.terminate(), 0);
  EXPECT_TRUE(counts_up_to(read_traces(dir, "svc"), 1, 100));
}

TEST(SecondConsumerd, IsRefusedWhileTheFirstLivesAndTakesOverAfterwards) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService service(shm.path(), "svc", 1, 1);
  ConsumerdProcess first({"-o", out.path(), "--shm-dir", shm.path()});
  service.publish(0, 100);
  ASSERT_TRUE(comes_true([&] { return service.ring(0).consumer.written_pos.load() == 1600; }));
  ConsumerdProcess second({"-o", out.path(), "--shm-dir", shm.path()});
  EXPECT_EQ(second.wait(), 3);
  EXPECT_NE(second.error_output().find("pid " + std::to_string(first.pid())), std::string::npos)
      << second.error_output();
  first.signal(SIGKILL);
  first.wait();
  service.publish(0, 100);
  ConsumerdProcess third({"-o", out.path(), "--shm-dir", shm.path(), "--once"});
  EXPECT_EQ(third.wait(), 0) << third.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "svc"), 1, 200));
}

TEST(RealService, FlushReturnsWhenItsRecordsAreInTheFile) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  const pid_t child = fork();
  if (child == 0) {
    Options options;
    options.service = "real";
    options.shm_dir = shm.path();
    init(options);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      RS_INFO("value %lu", static_cast<unsigned long>(i));
    }
    _exit(flush(std::chrono::seconds(60)) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << consumerd.error_output();
  EXPECT_TRUE(counts_up_to(read_traces(out.path(), "real"), 1, 1000));
  ASSERT_TRUE(comes_true([&] { return shm.names_with("ringside.").empty(); }));
  EXPECT_EQ(consumerd.terminate(), 0);
}

// So that other segments get their turn, however much one segment holds.
TEST(SegmentShare, OfARoundIsBounded) {
  constexpr std::uint32_t kRings = 400;
  constexpr std::uint64_t kRingRecords =
      ScriptedService::kRingBytes / ScriptedService::kRecordBytes;
  constexpr std::uint64_t kShare = std::uint64_t{16} << 20;
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  const consumer::Log log;
  std::string why;
  ScriptedService service(shm.path(), "svc", 1, kRings);
  const auto staging = consumer::StagingFile::create(shm.path(), &why);
  ASSERT_NE(staging, nullptr) << why;
  const auto io = consumer::make_pwrite_io();
  consumer::SlotWriter writer(*staging, *io, log);
  consumer::AttachFailure failure;
  auto session = consumer::SegmentSession::start(
      consumer::AttachedSegment::attach(shm.path(), service.name(), &failure), out.path(), writer,
      *staging, log, &why);
  ASSERT_NE(session, nullptr) << why;
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    ASSERT_EQ(service.publish(ring, kRingRecords), kRingRecords);
  }
  std::uint64_t taken = 0;
  int rounds = 0;
  for (; taken < kRings * ScriptedService::kRingBytes && rounds < 100; ++rounds) {
    const consumer::RoundResult round = session->poll();
    EXPECT_FALSE(round.starved);
    EXPECT_LE(round.ring_bytes, kShare + ScriptedService::kRingBytes);
    taken += round.ring_bytes;
    writer.poll(false);
  }
  EXPECT_EQ(taken, kRings * ScriptedService::kRingBytes);
  EXPECT_EQ(rounds, 2);
  session->begin_end(trace::EndReason::kServiceEnded);
  while (session->try_end() != consumer::SegmentSession::End::kOver) writer.poll(true);
  const TraceContent content = read_traces(out.path(), "svc");
  EXPECT_TRUE(content.faults.empty()) << content.faults.front();
  for (std::uint32_t ring = 0; ring < kRings; ++ring) {
    EXPECT_TRUE(counts_up_to(content, ring + 1, kRingRecords)) << ring;
  }
}

TEST(PollRound, TakesNothingFromIdleRings) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  const consumer::Log log;
  std::string why;
  ScriptedService service(shm.path(), "svc", 1, 1024);
  const auto staging = consumer::StagingFile::create(shm.path(), &why);
  ASSERT_NE(staging, nullptr) << why;
  const auto io = consumer::make_pwrite_io();
  consumer::SlotWriter writer(*staging, *io, log);
  consumer::AttachFailure failure;
  auto session = consumer::SegmentSession::start(
      consumer::AttachedSegment::attach(shm.path(), service.name(), &failure), out.path(), writer,
      *staging, log, &why);
  ASSERT_NE(session, nullptr) << why;
  for (std::uint32_t ring = 0; ring < 1024; ++ring) service.publish(ring, 1);
  EXPECT_EQ(session->poll().ring_bytes, 1024 * ScriptedService::kRecordBytes);
  for (int round = 0; round < 100; ++round) EXPECT_EQ(session->poll().ring_bytes, 0U);
  session->begin_end(trace::EndReason::kConsumerEnded);
  while (session->try_end() != consumer::SegmentSession::End::kOver) writer.poll(true);
}

TEST(IdleConsumerd, KeepsPolling) {
  const TemporaryDirectory shm;
  const TemporaryDirectory out;
  ScriptedService service(shm.path(), "svc", 1, 64);
  ConsumerdProcess consumerd({"-o", out.path(), "--shm-dir", shm.path()});
  for (std::uint32_t ring = 0; ring < 64; ++ring) service.publish(ring, 10);
  ASSERT_TRUE(comes_true([&] { return service.ring(63).consumer.written_pos.load() == 160; }));
  const std::uint64_t rounds = service.control().consumer.heartbeat.load();
  EXPECT_TRUE(comes_true([&] { return service.control().consumer.heartbeat.load() > rounds; }));
  EXPECT_EQ(consumerd.terminate(), 0);
  EXPECT_EQ(read_traces(out.path(), "svc").records, 640U);
}

}  // namespace
}  // namespace ringside::consumer_test
