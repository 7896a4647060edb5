// When the cost of log calls is written to a trace. The present time is a parameter, so nothing
// waits.
#include "consumerd/drain/call_cost_reporter.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "faulty_block_io.hpp"
#include "scripted_service.hpp"
#include "session_fixture.hpp"
#include "temporary_directory.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::CallCostReporter;
using std::chrono::milliseconds;
using Clock = CallCostReporter::Clock;

constexpr std::uint32_t kManyRings = 2 * consumer::CallCostTotals::kRingsAtATime + 1;

class ReportedCosts {
 public:
  explicit ReportedCosts(std::uint32_t rings, bool measures = true)
      : service_(shm_.path(), "orders", 1, rings, true, measures) {
    consumer::AttachFailure failure;
    segment_ = consumer::AttachedSegment::attach(shm_.path(), service_.name(), &failure);
    EXPECT_NE(segment_, nullptr) << failure.why;
    staging_ = consumer::StagingFile::create(shm_.path(), &why_);
    EXPECT_NE(staging_, nullptr) << why_;
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, io_, log_);
    file_ = consumer::TraceFile::open(
        out_.path(), service_.name(), service_.header(), *writer_, *staging_,
        [](const shm::JournalEntry&) {}, &why_);
    EXPECT_NE(file_, nullptr) << why_;
    reporter_ = std::make_unique<CallCostReporter>(*segment_);
  }

  void count(std::uint32_t ring) const {
    service_.call_costs(ring).all.ticks += 100;
    service_.call_costs(ring).all.count[shm::cost_bucket(100)] += 1;
  }
  // Whether a round at this time appends a block.
  bool reports(Clock::time_point now) {
    std::uint64_t bytes = 0;
    EXPECT_TRUE(reporter_->report(now, *file_, &bytes));
    return bytes != 0;
  }
  bool reports_at_end() {
    std::uint64_t bytes = 0;
    EXPECT_TRUE(reporter_->report_at_end(*file_, &bytes));
    return bytes != 0;
  }
  void next_file() {
    EXPECT_TRUE(file_->rotate([](std::uint32_t) { return std::vector<std::byte>(64); }, {}, &why_))
        << why_;
  }
  // Without its costs of log calls.
  void truncate() const {
    std::filesystem::resize_file(service_.path(), service_.layout().call_costs_offset);
  }
  CallCostReporter& reporter() { return *reporter_; }

 private:
  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  std::string why_;
  const consumer::Log log_;
  ScriptedService service_;
  std::unique_ptr<consumer::AttachedSegment> segment_;
  FaultyBlockIo io_{1};
  std::unique_ptr<consumer::StagingFile> staging_;
  std::unique_ptr<consumer::SlotWriter> writer_;
  std::unique_ptr<consumer::TraceFile> file_;
  std::unique_ptr<CallCostReporter> reporter_;
};

TEST(CallCostReporter, WritesNothingWhereNothingIsMeasured) {
  ReportedCosts one(2, false);
  EXPECT_FALSE(one.reports(Clock::now()));
  EXPECT_FALSE(one.reports_at_end());
  EXPECT_TRUE(one.reporter().read_rest());
}

TEST(CallCostReporter, WritesNothingBeforeTheFirstMeasuredCall) {
  ReportedCosts one(2);
  EXPECT_FALSE(one.reports(Clock::now()));
  EXPECT_FALSE(one.reports_at_end());
}

TEST(CallCostReporter, WritesChangedTotalsOnceInAnInterval) {
  ReportedCosts one(2);
  const auto start = Clock::now();
  one.count(0);
  EXPECT_TRUE(one.reports(start));
  one.count(1);
  EXPECT_FALSE(one.reports(start + CallCostReporter::kInterval - milliseconds(1)));
  EXPECT_TRUE(one.reports(start + CallCostReporter::kInterval));
  EXPECT_FALSE(one.reports(start + 2 * CallCostReporter::kInterval));
}

TEST(CallCostReporter, ReadsManyRingsInTurns) {
  ReportedCosts one(kManyRings);
  const auto now = Clock::now();
  one.count(kManyRings - 1);
  EXPECT_FALSE(one.reports(now));
  EXPECT_FALSE(one.reports(now));
  EXPECT_TRUE(one.reports(now));
  one.count(0);
  EXPECT_FALSE(one.reports(now));
  EXPECT_FALSE(one.reports_at_end()) << "all rings were read at once";
}

TEST(CallCostReporter, StatesTheTotalsAtTheEndOfEachFile) {
  ReportedCosts one(2);
  one.count(0);
  EXPECT_TRUE(one.reports(Clock::now()));
  EXPECT_FALSE(one.reports_at_end());
  one.count(0);
  EXPECT_TRUE(one.reports_at_end());
  EXPECT_FALSE(one.reports_at_end());
  one.next_file();
  EXPECT_TRUE(one.reports_at_end());
  EXPECT_FALSE(one.reports_at_end());
}

TEST(CallCostReporter, ReadsTheRestInTurnsBeforeTheEnd) {
  ReportedCosts one(kManyRings);
  one.count(kManyRings - 1);
  EXPECT_FALSE(one.reporter().read_rest());
  EXPECT_FALSE(one.reporter().read_rest());
  EXPECT_TRUE(one.reporter().read_rest());
  EXPECT_TRUE(one.reporter().read_rest());
  EXPECT_TRUE(one.reports_at_end());
}

TEST(CallCostReporter, DoesNotWaitForATruncatedSegment) {
  ReportedCosts one(kManyRings);
  one.truncate();
  EXPECT_TRUE(one.reporter().read_rest());
  EXPECT_FALSE(one.reports_at_end());
}

// The rounds before the end of the session read a part of the rings at most.
class SessionOfManyRings : public SessionTest {
 protected:
  std::uint64_t calls_in_trace() const {
    trace::ReadError error;
    auto set = trace::TraceSet::open(std::vector{out_.path()}, &error);
    EXPECT_TRUE(set) << error.text();
    trace::Event event;
    while (set->next(event)) {
    }
    const auto& segments = set->report().call_costs.segments();
    return segments.size() == 1 ? segments.begin()->second.newest.counts.calls() : 0;
  }

  ScriptedService many_{shm_.path(), "svc", 2, kManyRings, true, true};
};

TEST_F(SessionOfManyRings, HasTheCallsOfAllRingsAtItsEnd) {
  start(many_.name());
  round();
  for (std::uint32_t i = 0; i < kManyRings; ++i) {
    many_.call_costs(i).all.count[shm::cost_bucket(100)] += 1;
  }
  many_.publish(0, 1);
  many_.die();
  end(trace::EndReason::kServiceEnded);
  EXPECT_EQ(calls_in_trace(), kManyRings);
}

TEST_F(SessionOfManyRings, HasTheCallsOfAllRingsIfItMustEndAtOnce) {
  start(many_.name());
  for (std::uint32_t i = 0; i < kManyRings; ++i) {
    many_.call_costs(i).all.count[shm::cost_bucket(100)] += 1;
  }
  session_->take_all_at_once();
  end();
  EXPECT_EQ(calls_in_trace(), kManyRings);
}

}  // namespace
}  // namespace ringside::consumer_test
