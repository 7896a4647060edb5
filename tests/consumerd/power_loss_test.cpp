// The sessions, trace files and slots of consumerd above a disk that loses power at any instant, by
// a seed. What was not synced vanishes or tears. The real reader then finds every record that was
// acknowledged as durable, once and in order. Those that are missing between others are reported
// with their exact number. The same holds while syncs and writes fail, and when consumerd is killed
// before.
//
// RINGSIDE_TEST_SEED and RINGSIDE_TEST_ROUNDS set the seed and the number of histories.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/sandbox/sanitizer_build.hpp"
#include "consumerd/session/segment_session.hpp"
#include "consumerd/write/recovery.hpp"
#include "power_loss_disk.hpp"
#include "scripted_service.hpp"
#include "standard_error_in_file.hpp"
#include "temporary_directory.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::SyncWhen;

constexpr std::uint32_t kRings = 2;
constexpr std::chrono::milliseconds kInterval{100};
using Counts = std::array<std::uint64_t, kRings>;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Totals {
  std::uint64_t acknowledged = 0;
  std::uint64_t read = 0;
  std::uint64_t missing = 0;  // reported
  std::uint64_t lost_ends = 0;
  std::uint64_t torn_fronts = 0;  // histories
  std::uint64_t answers = 0;
  std::uint64_t refusals = 0;
  std::uint64_t kills = 0;
  std::uint64_t syncs = 0;
};

// Someone who asks for durable flushes: the service, or the tools.
struct Requester {
  std::atomic<std::uint64_t>* request;
  std::atomic<std::uint64_t>* answer;
  std::uint64_t asked = 0;
  Counts published{};  // at the request
  bool waits = false;
};

class History {
 public:
  History(std::uint64_t seed, Totals& totals)
      : random_(seed), totals_(totals), service_(shm_.path(), "svc", 1, kRings) {
    PowerLossDisk::begin(random_(), out_.path());
    shm::ControlPage& control = service_.control();
    requesters_[0] = {&control.losses.durable_flush_request,
                      &control.tool_answers.service_durable_flush};
    requesters_[1] = {&control.tool_requests.durable_flush, &control.tool_answers.durable_flush};
    choose_mode();
  }
  ~History() {
    session_.reset();
    writer_.reset();
    io_.reset();
    staging_.reset();
    totals_.syncs += PowerLossDisk::syncs();
    PowerLossDisk::end();
  }

  void run() {
    ASSERT_NO_FATAL_FAILURE(begin_consumer());
    has_faults_ = random_() % 2 == 0;
    if (has_faults_) PowerLossDisk::fail(static_cast<unsigned>(random_() % 200));
    const std::uint64_t steps = 1 + random_() % 300;
    for (std::uint64_t i = 0; i < steps; ++i) {
      ASSERT_NO_FATAL_FAILURE(step());
      check_answers();
    }
    const TemporaryDirectory image;
    PowerLossDisk::lose_power(image.path());
    for (const std::uint64_t count : acknowledged_) totals_.acknowledged += count;
    check(image.path());
  }

 private:
  void choose_mode() {
    constexpr std::array kModes = {SyncWhen::kNever, SyncWhen::kInterval, SyncWhen::kAlways};
    mode_ = kModes[random_() % kModes.size()];
    was_always_ = was_always_ && mode_ == SyncWhen::kAlways;
    role_.sync = {mode_, kInterval};
    uses_pwrite_ = random_() % 4 == 0;
    if (random_() % 2 == 0) rotation_.bytes = 16U << 10;
  }

  void begin_consumer() {
    std::string why;
    staging_ = consumer::StagingFile::create(shm_.path(), &why);
    ASSERT_NE(staging_, nullptr) << why;
    io_ = uses_pwrite_
              ? consumer::make_pwrite_io()
              : consumer::make_queued_io(PowerLossDisk::make_queue(), consumer::kStagingSlots);
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, *io_, log_, role_);
    consumer::AttachFailure failure;
    auto segment = consumer::AttachedSegment::attach(shm_.path(), service_.name(), &failure);
    ASSERT_NE(segment, nullptr) << failure.why;
    session_ = consumer::SegmentSession::start(std::move(segment), out_.path(), *writer_, *staging_,
                                               log_, &why);
    ASSERT_NE(session_, nullptr) << why;
    session_->set_rotation(rotation_);
  }

  // As SIGKILL: nothing is finished. The next consumerd recovers.
  void kill_consumer() {
    ++totals_.kills;
    PowerLossDisk::drop_queue();
    session_.reset();
    writer_.reset();
    io_.reset();
    staging_.reset();
    if (random_() % 3 == 0) choose_mode();
    bool is_recovered = false;
    // One attempt makes dozens of writes and syncs, of which up to a fifth fail.
    for (int i = 0; i < 10'000 && !is_recovered; ++i) {
      is_recovered =
          consumer::recover_all_staging(shm_.path(), log_, nullptr, mode_ != SyncWhen::kNever);
    }
    ASSERT_TRUE(is_recovered);
    begin_consumer();
  }

  void step() {
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
        service_.publish(static_cast<std::uint32_t>(random_() % kRings), random_() % 400);
        break;
      case 3:
      case 4:
        writer_->poll(random_() % 2 == 0);
        break;
      case 5:
        ask(requesters_[random_() % requesters_.size()]);
        break;
      case 6:
        PowerLossDisk::advance_ns(static_cast<std::int64_t>(random_() % 200'000'000));
        break;
      case 7:
        if (random_() % 10 == 0) session_->request_rotation();
        break;
      case 8:
        if (random_() % 15 == 0) kill_consumer();
        break;
      default:
        session_->poll();
        if (session_ != nullptr) check_interval();
    }
  }

  void ask(Requester& requester) {
    requester.request->store(++requester.asked);
    requester.waits = true;
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      requester.published[ring] = service_.published(ring);
    }
  }

  void acknowledge(const Counts& counts) {
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      acknowledged_[ring] = std::max(acknowledged_[ring], counts[ring]);
    }
  }

  // What the requesters would conclude now.
  void check_answers() {
    for (Requester& requester : requesters_) {
      if (!requester.waits || requester.answer->load() < requester.asked) continue;
      requester.waits = false;
      ++totals_.answers;
      if (service_.control().tool_answers.sync_failures.load() == 0) {
        acknowledge(requester.published);
      } else {
        ++totals_.refusals;
      }
    }
    // Then all that counts as written is durable.
    if (mode_ == SyncWhen::kAlways && was_always_) {
      Counts written{};
      for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        written[ring] =
            service_.ring(ring).consumer.written_pos.load() / ScriptedService::kRecordBytes;
      }
      acknowledge(written);
    }
  }

  // With pwrite a byte is written before anyone learns of it.
  void check_interval() {
    if (mode_ != SyncWhen::kInterval || has_faults_ || uses_pwrite_) return;
    if (session_->file().sync().is_busy()) return;
    EXPECT_LE(PowerLossDisk::oldest_unsynced_ns(),
              std::chrono::nanoseconds(kInterval).count() + 1'000'000);
  }

  // The blocks at the beginning of a section are torn: the reader reports the damage, but cannot
  // decode the records after it, nor tell which segment they belong to.
  static bool lacks_front(const trace::ReadReport& report) {
    constexpr std::array kParts = {"HEADER", "CLOCK", "STREAM", "dictionary"};
    return std::any_of(report.notes.begin(), report.notes.end(), [&](const auto& note) {
      return std::any_of(kParts.begin(), kParts.end(), [&](const char* part) {
        return note.what.find(part) != std::string::npos;
      });
    });
  }

  void check(const std::string& image) {
    struct Part {
      std::uint64_t first;
      std::uint64_t count;
      bool is_read;
    };
    std::map<std::uint64_t, std::vector<Part>> streams;
    const std::vector<std::string> paths{image};
    trace::ReadError error;
    auto set = trace::TraceSet::open(paths, &error);
    trace::Event event;
    while (set && set->next(event)) {
      const bool is_record = event.kind == trace::EventKind::kRecord;
      const std::uint64_t sequence = event.record.sequence;
      if (is_record) {
        ASSERT_EQ(event.record.args.size(), 1U);
        ASSERT_EQ(event.record.args[0].u64, sequence) << "a record that was never made";
      } else {
        ASSERT_EQ(event.cause, trace::LossCause::kMissing);
      }
      streams[event.stream->id].push_back({sequence, is_record ? 1 : event.lost, is_record});
    }
    const bool has_torn_front = set && lacks_front(set->report());
    totals_.torn_fronts += has_torn_front ? 1 : 0;
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      SCOPED_TRACE("stream " + std::to_string(ring + 1));
      auto& parts = streams[ring + 1];
      // Without a front its gaps are counted apart from those of the segment.
      if (has_torn_front) std::erase_if(parts, [](const Part& part) { return !part.is_read; });
      std::sort(parts.begin(), parts.end(),
                [](const Part& a, const Part& b) { return a.first < b.first; });
      // Readers cannot know what was before the first record, nor after the last.
      std::uint64_t next = parts.empty() ? service_.published(ring) : parts.front().first;
      std::uint64_t durable = next == 0 ? service_.published(ring) : 0;
      std::uint64_t last_read = 0;
      for (const Part& part : parts) last_read = part.is_read ? part.first : last_read;
      for (const Part& part : parts) {
        ASSERT_GE(part.first, next) << "twice";
        ASSERT_TRUE(part.first == next || part.first > last_read || has_torn_front)
            << "neither read nor reported";
        if (!part.is_read || part.first != next) durable = std::min(durable, next);
        next = part.first + part.count;
        (part.is_read ? totals_.read : totals_.missing) += part.count;
      }
      ASSERT_LE(next, service_.published(ring));
      durable = std::min(durable, parts.empty() ? 0 : next);
      ASSERT_GE(durable, acknowledged_[ring]) << "acknowledged as durable, and gone";
      totals_.lost_ends += service_.published(ring) - next;
    }
  }

  std::mt19937_64 random_;
  Totals& totals_;
  TemporaryDirectory shm_;
  TemporaryDirectory out_;
  const consumer::Log log_;
  ScriptedService service_;
  consumer::WriterRole role_;
  consumer::RotationPolicy rotation_;
  SyncWhen mode_ = SyncWhen::kNever;
  bool was_always_ = true;  // of all consumers so far
  bool uses_pwrite_ = false;
  bool has_faults_ = false;
  std::array<Requester, 2> requesters_{};
  Counts acknowledged_{};
  std::unique_ptr<consumer::StagingFile> staging_;
  std::unique_ptr<consumer::BlockIo> io_;
  std::unique_ptr<consumer::SlotWriter> writer_;
  std::unique_ptr<consumer::SegmentSession> session_;
};

constexpr std::uint64_t kUsualRounds = consumer::kSanitizerBuild ? 40 : 200;

TEST(PowerLoss, LeavesEverythingThatWasAcknowledgedAsDurable) {
  const std::uint64_t first = number_from("RINGSIDE_TEST_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("RINGSIDE_TEST_ROUNDS", kUsualRounds);
  std::cout << "RINGSIDE_TEST_SEED=" << first << std::endl;
  Totals totals;
  {
    const StandardErrorInFile quiet;
    for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
      SCOPED_TRACE("RINGSIDE_TEST_SEED=" + std::to_string(seed) + " RINGSIDE_TEST_ROUNDS=1");
      History(seed, totals).run();
      if (HasFailure()) return;
    }
  }
  std::cout << "acknowledged: " << totals.acknowledged << " records, read: " << totals.read
            << ", reported as missing: " << totals.missing
            << ", missing at the end: " << totals.lost_ends
            << ", torn fronts: " << totals.torn_fronts << "; answers: " << totals.answers
            << " (after failed syncs: " << totals.refusals << "), kills: " << totals.kills
            << ", syncs: " << totals.syncs << std::endl;
  if (rounds < 200) return;
  EXPECT_GT(totals.acknowledged, 0U);
  EXPECT_GT(totals.missing, 0U);
  EXPECT_GT(totals.kills, 0U);
  if (rounds < 1000) return;  // these are rare
  EXPECT_GT(totals.lost_ends, 0U);
  EXPECT_GT(totals.refusals, 0U);
}

}  // namespace
}  // namespace ringside::consumer_test
