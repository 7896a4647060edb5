// Kills a consumer after each instruction that changes what it shares with its successor: positions
// of rings, commit words of staging slots, the words that the service reads, files. A successor
// then recovers, and the trace must have every record exactly once.
//
// A kill between two of these changes leaves the same state as a kill after the first of them,
// apart from bytes that no commit word covers yet. Some of these states are tested, too.

#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "consumerd/session/segment_session.hpp"
#include "consumerd/write/recovery.hpp"
#include "directory_image.hpp"
#include "scripted_service.hpp"
#include "stepped_process.hpp"
#include "temporary_directory.hpp"
#include "trace_content.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::SegmentSession;
using Step = SteppedProcess::Step;

constexpr std::uint32_t kRings = 3;
constexpr std::uint64_t kDrops = 7;
// Steps between two samples of states without a change.
constexpr unsigned long kSampleInterval = 20'000;

// The segment's file as it is now; a test may have restored it elsewhere.
class MappedSegment {
 public:
  MappedSegment(const std::string& path, const shm::SegmentLayout& layout) : layout_(layout) {
    const consumer::UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    void* const place =
        mmap(nullptr, layout.segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (place == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    base_ = static_cast<std::byte*>(place);
  }
  ~MappedSegment() { munmap(base_, layout_.segment_bytes); }
  MappedSegment(const MappedSegment&) = delete;
  MappedSegment& operator=(const MappedSegment&) = delete;

  const shm::ControlPage& control() const {
    return *reinterpret_cast<const shm::ControlPage*>(base_ + layout_.control_offset);
  }
  const shm::RingMetadata& ring(std::uint32_t index) const {
    return reinterpret_cast<const shm::RingMetadata*>(base_ + layout_.metadata_offset)[index];
  }

 private:
  shm::SegmentLayout layout_;
  std::byte* base_ = nullptr;
};

// What a kill leaves in files and memory, and the service's progress at that moment.
struct KilledState {
  unsigned long steps = 0;
  DirectoryImage shm;
  DirectoryImage out;
  std::uint64_t published[kRings];
  unsigned long journal_entries = 0;  // of all committed slots
};

// What one consumer works with; created before the fork, so that both processes see the staging
// file.
struct Consumer {
  Consumer(std::string segment_dir, std::string output_dir)
      : shm_dir(std::move(segment_dir)), out(std::move(output_dir)) {
    staging = consumer::StagingFile::create(shm_dir, &why);
    io = consumer::make_pwrite_io();
    if (staging != nullptr) {
      writer = std::make_unique<consumer::SlotWriter>(*staging, *io, log);
    }
  }

  bool adopt(const std::string& segment_name) {
    consumer::AttachFailure failure;
    auto segment = consumer::AttachedSegment::attach(shm_dir, segment_name, &failure);
    why = failure.why;
    if (segment != nullptr) {
      session = SegmentSession::start(std::move(segment), out, *writer, *staging, log, &why);
    }
    return session != nullptr;
  }
  void round() const {
    session->poll();
    session->tend();
    writer->poll(false);
  }
  // Drains the remaining records and releases the segment.
  void end(trace::EndReason reason) {
    session->begin_end(reason);
    for (;;) {
      const SegmentSession::End end = session->try_end();
      if (end == SegmentSession::End::kOver) break;
      if (end == SegmentSession::End::kNoSpace) session->seal();
      writer->poll(true);
    }
    session->leave();
    session.reset();
  }

  std::string shm_dir;
  std::string out;
  std::string why;
  const consumer::Log log;
  std::unique_ptr<consumer::StagingFile> staging;
  std::unique_ptr<consumer::BlockIo> io;
  std::unique_ptr<consumer::SlotWriter> writer;
  std::unique_ptr<SegmentSession> session;
};

class KilledAtEveryInstruction : public testing::Test {
 protected:
  void SetUp() override {
    service_.publish(0, 20);
    service_.publish(1, 5);
    service_.ring(1).counters.dropped_ring_full.store(kDrops);
    service_.ring(1).counters.dropped_total.store(kDrops);
    service_.retire(1);
  }

  // Steps through `work` and records each state in which a kill can leave `consumer`.
  std::vector<KilledState> states_of(const Consumer& consumer, const std::function<void()>& work) {
    std::vector<KilledState> states;
    const MappedSegment segment(shm_.file(service_.name()), service_.layout());
    SteppedProcess child(work);
    std::vector<std::byte> before;
    for (unsigned long steps = 1;; ++steps) {
      const Step step = child.step();
      if (step == Step::kFailed) ADD_FAILURE() << "the consumer failed after " << steps;
      if (step == Step::kFailed || step == Step::kEnded) {
        steps_ = steps;
        return states;
      }
      std::vector<std::byte> now = shared_words(segment, *consumer.staging);
      if (step != Step::kSystemCall && now == before && steps % kSampleInterval != 0) continue;
      before = std::move(now);
      states.push_back({steps, DirectoryImage(shm_.path()), DirectoryImage(out_.path()), {}, 0});
      for (std::uint32_t slot = 0; slot < consumer::kStagingSlots; ++slot) {
        states.back().journal_entries +=
            shm::commit_journal(consumer.staging->header(slot).commit.load());
      }
      for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        states.back().published[ring] =
            segment.ring(ring).producer.producer_pos.load() / ScriptedService::kRecordBytes;
      }
    }
  }

  // All bytes except those that commit words and positions cover.
  static std::vector<std::byte> shared_words(const MappedSegment& segment,
                                             consumer::StagingFile& staging) {
    std::vector<std::byte> words;
    const auto add = [&words](const auto& object) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&object);
      words.insert(words.end(), bytes, bytes + sizeof object);
    };
    add(segment.control().consumer);
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      add(segment.ring(ring).consumer);
      add(segment.ring(ring).producer);
    }
    for (std::uint32_t slot = 0; slot < consumer::kStagingSlots; ++slot) {
      add(staging.header(slot).commit);
    }
    return words;
  }

  void put_back(const KilledState& state) {
    state.shm.put_back();
    state.out.put_back();
  }
  bool segment_exists() { return !shm_.names_with(service_.name()).empty(); }

  // The successor of a consumer that was killed in `state` leaves a trace with every record once.
  void expect_exactly_once(const KilledState& state) {
    put_back(state);
    Consumer successor(shm_.path(), out_.path());
    ASSERT_NE(successor.writer, nullptr) << successor.why;
    ASSERT_TRUE(consumer::recover_all_staging(shm_.path(), successor.log));
    if (segment_exists()) {
      ASSERT_TRUE(successor.adopt(service_.name())) << successor.why;
      successor.round();
      successor.end(trace::EndReason::kServiceEnded);
    }
    const TraceContent content = read_traces(out_.path(), "svc");
    ASSERT_TRUE(content.faults.empty()) << content.faults.front();
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
      ASSERT_TRUE(counts_up_to(content, ring + 1, state.published[ring]))
          << "stream " << ring + 1 << " of " << state.published[ring] << " records";
    }
    ASSERT_EQ(content.dropped, kDrops);
    ASSERT_FALSE(segment_exists());
  }
  void expect_exactly_once(const std::vector<KilledState>& states) {
    for (const KilledState& state : states) {
      expect_exactly_once(state);
      if (HasFatalFailure()) FAIL() << "killed after instruction " << state.steps;
    }
  }

  std::vector<KilledState> states_of_a_whole_session() {
    Consumer consumer(shm_.path(), out_.path());
    EXPECT_NE(consumer.writer, nullptr) << consumer.why;
    return states_of(consumer, [&] {
      if (!consumer.adopt(service_.name())) _exit(1);
      consumer.round();
      consumer.session->seal();
      consumer.round();
      service_.publish(0, 3);
      service_.publish(2, 4);
      consumer.round();
      consumer.end(trace::EndReason::kServiceEnded);
    });
  }

  // In memory: each state is written, recovered and removed.
  TemporaryDirectory shm_{"/dev/shm"};
  TemporaryDirectory out_{"/dev/shm"};
  ScriptedService service_{shm_.path(), "svc", 1, kRings};
  unsigned long steps_ = 0;
};

TEST_F(KilledAtEveryInstruction, LosesAndRepeatsNothing) {
  const std::vector<KilledState> states = states_of_a_whole_session();
  RecordProperty("instructions", std::to_string(steps_));
  RecordProperty("states", std::to_string(states.size()));
  std::printf("%lu instructions, %zu states\n", steps_, states.size());
  // At least one commit and its position for each of the two rings, and the writes.
  ASSERT_GT(states.size(), 40U);
  expect_exactly_once(states);
}

// A successor can be killed, too, while it recovers what the killed consumer left.
TEST_F(KilledAtEveryInstruction, RecoveryLosesAndRepeatsNothing) {
  std::size_t tried = 0;
  std::size_t states_of_successors = 0;
  unsigned long last_entries = 0;
  for (const KilledState& first : states_of_a_whole_session()) {
    // Directly after a commit: its positions are not advanced yet.
    const bool committed = first.journal_entries > last_entries;
    last_entries = first.journal_entries;
    if (!committed) continue;
    put_back(first);
    Consumer successor(shm_.path(), out_.path());
    ASSERT_NE(successor.writer, nullptr) << successor.why;
    const std::vector<KilledState> states = states_of(successor, [&] {
      if (!consumer::recover_all_staging(shm_.path(), successor.log)) _exit(1);
      if (!successor.adopt(service_.name())) _exit(1);
    });
    ++tried;
    states_of_successors += states.size();
    expect_exactly_once(states);
    if (HasFatalFailure()) FAIL() << "after a first kill at instruction " << first.steps;
  }
  RecordProperty("states", std::to_string(states_of_successors));
  std::printf("%zu recoveries, %zu states\n", tried, states_of_successors);
  ASSERT_GT(tried, 3U);
  ASSERT_GT(states_of_successors, 20 * tried);
}

}  // namespace
}  // namespace ringside::consumer_test
