// The times of a segment across the consumers that serve it: a record has one time, whichever of
// them writes it.
#include "consumerd/session/segment_clock.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "section_files.hpp"
#include "session_fixture.hpp"
#include "shm-layout/clock_reading.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::consumer_test {
namespace {

// The header states a wrong wall clock, so that each step corrects by as much as it may.
void let_steps_differ(ScriptedService& service) {
  const auto boot_id = boot_id_of_this_machine();
  std::copy(boot_id.begin(), boot_id.end(), service.header().boot_id);
}

// The numbers of one stream's records, in the order in which a reader delivers them.
std::vector<std::uint64_t> delivered(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    paths.push_back(entry.path());
  }
  trace::ReadError error;
  auto set = trace::TraceSet::open(paths, &error);
  std::vector<std::uint64_t> numbers;
  if (!set) return numbers;
  trace::Event event;
  while (set->next(event)) {
    if (event.kind == trace::EventKind::kRecord) numbers.push_back(event.record.sequence);
  }
  return numbers;
}

// A clock whose steps are counted in the control page.
class SegmentClockTest : public testing::Test {
 protected:
  SegmentClockTest() { let_steps_differ(service_); }

  void SetUp() override {
    staging_ = consumer::StagingFile::create(shm_.path(), &why_);
    ASSERT_NE(staging_, nullptr) << why_;
    io_ = consumer::make_pwrite_io();
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, *io_, log_);
    file_ = consumer::TraceFile::open(
        out_.path(), service_.name(), service_.header(), *writer_, *staging_,
        [](const shm::JournalEntry&) {}, &why_);
    ASSERT_NE(file_, nullptr) << why_;
    attach();
  }
  // With the header as it is now.
  void attach() {
    segment_.reset();
    consumer::AttachFailure failure;
    segment_ = consumer::AttachedSegment::attach(shm_.path(), service_.name(), &failure);
    ASSERT_NE(segment_, nullptr) << failure.why;
  }

  shm::ConsumerClock& left() { return service_.control().consumer_clock; }
  std::uint64_t steps() { return left().steps.load(); }
  // By its number, from 1.
  shm::ClockStep& step(std::uint64_t number) {
    return left().step[(number - 1) % shm::kClockSteps];
  }
  // A step with the rate of the header, as a predecessor leaves it.
  void leave_step(std::uint64_t tsc) {
    const shm::SegmentHeader& header = service_.header();
    const std::uint64_t rate = trace::ns_per_tick_of(header.tsc_frequency_hz);
    const trace::ClockPoint start{header.start_tsc, header.start_realtime_ns, rate, 0, 0};
    shm::ClockStep& next = step(steps() + 1);
    next.tsc0.store(tsc);
    next.unix_ns0.store(start.unix_ns(tsc));
    next.ns_per_tick.store(rate);
    left().steps.fetch_add(1);
  }
  std::uint64_t seconds_ago(std::uint64_t count) {
    return shm::read_tsc() - count * service_.header().tsc_frequency_hz;
  }

  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  std::string why_;
  const consumer::Log log_;
  ScriptedService service_{shm_.path(), "svc", 1, 1};
  std::unique_ptr<consumer::StagingFile> staging_;
  std::unique_ptr<consumer::BlockIo> io_;
  std::unique_ptr<consumer::SlotWriter> writer_;
  std::unique_ptr<consumer::TraceFile> file_;
  std::unique_ptr<consumer::AttachedSegment> segment_;
};

TEST_F(SegmentClockTest, TheNextStepWaitsForRecordsOlderThanTheLastOne) {
  consumer::SegmentClock clock(*segment_);
  clock.begin(*file_);
  ASSERT_EQ(steps(), 2U);
  const std::uint64_t last = step(2).tsc0.load();
  EXPECT_TRUE(clock.write(*file_, {}));
  clock.drained_until(last - 1);
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 2U);
  clock.drained_until(last);
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 3U);
  EXPECT_GT(step(3).tsc0.load(), last);
}

TEST_F(SegmentClockTest, ASuccessorMakesAStepWhenItHasDrainedTheRings) {
  service_.header().start_tsc = seconds_ago(100);
  leave_step(service_.header().start_tsc);
  leave_step(seconds_ago(1));
  attach();
  consumer::SegmentClock clock(*segment_);
  clock.begin(*file_);
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 2U);
  clock.drained_until(shm::read_tsc());
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 3U);
}

// Nothing of that is in the segment.
TEST_F(SegmentClockTest, ASuccessorStatesWhatTheSystemsClockShowed) {
  constexpr std::uint64_t kHourNs = 3'600'000'000'000;
  service_.header().start_tsc = seconds_ago(100);
  leave_step(service_.header().start_tsc);
  leave_step(seconds_ago(1));
  attach();
  const consumer::SegmentClock clock(*segment_);
  const std::uint64_t now_ns = shm::read_clocks().realtime_ns;
  for (const trace::ClockPoint& point : {clock.before(), clock.last()}) {
    EXPECT_GT(point.realtime_ns, now_ns - kHourNs);
    EXPECT_LT(point.realtime_ns, now_ns);
  }
}

// The end of a correction is a step as well.
TEST_F(SegmentClockTest, TheEndOfACorrectionAndTheNextStepKeepTheirOrderWithTheRecords) {
  service_.header().start_tsc = seconds_ago(100);
  leave_step(service_.header().start_tsc);
  leave_step(seconds_ago(30));
  attach();
  consumer::SegmentClock clock(*segment_);
  clock.begin(*file_);
  const std::uint64_t last = step(2).tsc0.load();
  clock.drained_until(last);
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 3U) << "records between the correction and its end may be in the rings";
  const std::uint64_t end = step(3).tsc0.load();
  EXPECT_GT(end, last);
  EXPECT_LT(end, seconds_ago(20));
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 3U);
  clock.drained_until(end);
  EXPECT_TRUE(clock.write(*file_, {}));
  EXPECT_EQ(steps(), 4U);
}

// A flight recorder's rings always hold old records.
TEST_F(SegmentClockTest, SteeringCorrectsTheLastStepUntilARecordHasATimeByIt) {
  consumer::SegmentClock clock(*segment_);
  clock.begin(*file_);
  const std::uint64_t tsc0 = step(2).tsc0.load();
  const std::uint64_t unix_ns0 = step(2).unix_ns0.load();
  step(2).ns_per_tick.store(0);
  EXPECT_TRUE(clock.steer(*file_, {}));
  EXPECT_EQ(steps(), 2U);
  EXPECT_EQ(step(2).tsc0.load(), tsc0);
  EXPECT_EQ(step(2).unix_ns0.load(), unix_ns0);
  EXPECT_GT(step(2).ns_per_tick.load(), 0U);
  service_.ring(0).consumer.last_tsc.store(tsc0);
  const consumer::RingDrain ring(*segment_, 0, false);
  step(2).ns_per_tick.store(0);
  EXPECT_TRUE(clock.steer(*file_, std::span(&ring, 1)));
  EXPECT_EQ(step(2).ns_per_tick.load(), 0U) << "this record is in the file";
  EXPECT_EQ(steps(), 2U);
}

// More than a round reads, so that a consumer can die between two parts of a snapshot.
class FlightRecorder : public SessionTest {
 protected:
  static constexpr std::uint64_t kLargeRing = std::uint64_t{32} << 20;

  FlightRecorder() {
    let_steps_differ(recorder_);
    recorder_.header().sub_buffer_bytes = kLargeRing / shm::kSubBuffersPerRing;
  }

  // Without the end of the session: as if the process had died.
  void die_within_a_snapshot() {
    recorder_.control().snapshot_request.requested.fetch_add(1);
    session_->poll();
    session_->seal();
    while (session_->file().written() < session_->file().sealed()) writer_->poll(true);
    session_.reset();
  }

  // All records, each once, in their order.
  void expect_all(std::uint64_t count) {
    const std::vector<std::uint64_t> numbers = delivered(out_.path());
    ASSERT_EQ(numbers.size(), count);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }

  ScriptedService recorder_{shm_.path(), "rec", 2, 1, true, false, kLargeRing};
};

TEST_F(FlightRecorder, KeepsTheOrderOfARingThatTwoConsumersRead) {
  // Older than the first consumer: its first step is made now.
  const std::uint64_t count = recorder_.publish(0, kLargeRing);
  start(recorder_.name());
  die_within_a_snapshot();
  const std::uint64_t taken = recorder_.ring(0).consumer.next_sequence.load();
  ASSERT_GT(taken, 0U);
  ASSERT_LT(taken, count);
  start(recorder_.name());
  end(trace::EndReason::kServiceEnded);
  expect_all(count);
}

TEST_F(FlightRecorder, KeepsTheOrderOfARingThatThreeConsumersRead) {
  const std::uint64_t count = recorder_.publish(0, kLargeRing);
  start(recorder_.name());
  session_.reset();
  for (int i = 0; i < 2; ++i) {
    start(recorder_.name());
    die_within_a_snapshot();
  }
  start(recorder_.name());
  end(trace::EndReason::kServiceEnded);
  expect_all(count);
}

}  // namespace
}  // namespace ringside::consumer_test
