// The text's reader beside a session whose writes are late: the next file of a rotation is there at
// once, earlier than the data for the file before it.

#include <cstdint>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "consumerd/text/segment_events.hpp"
#include "session_fixture.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::SegmentEvents;
using consumer::SegmentPosition;

// Writes to real files, but only when asked to.
class DelayedBlockIo final : public consumer::BlockIo {
 public:
  bool delay = true;

  void prepare_slot(std::uint32_t /*slot*/, std::byte* /*data*/, std::size_t /*bytes*/) override {}
  bool submit(const consumer::WriteRequest& request) override {
    requests_.push_back(request);
    return true;
  }
  std::size_t reap(std::span<consumer::WriteCompletion> out, bool /*wait*/) override {
    if (delay || requests_.empty() || out.empty()) return 0;
    const consumer::WriteRequest one = requests_.front();
    requests_.erase(requests_.begin());
    const ssize_t got = pwrite(one.fd, one.data, one.bytes, static_cast<off_t>(one.offset));
    out[0] = {one.slot, static_cast<std::int32_t>(got)};
    return 1;
  }
  const char* name() const override { return "delayed"; }

 private:
  std::vector<consumer::WriteRequest> requests_;
};

class TextOfRotatedTraceTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    writer_.reset();
    auto io = std::make_unique<DelayedBlockIo>();
    delayed_ = io.get();
    io_ = std::move(io);
    writer_ = std::make_unique<consumer::SlotWriter>(*staging_, *io_, log_);
  }
  // The reader of this session's trace. It knows nothing of the session itself.
  std::unique_ptr<SegmentEvents> reader() {
    SegmentPosition from;
    from.uuid = session_->uuid();
    from.stem = session_->file().stem();
    from.file_sequence = session_->file().sequence();
    from.section_offset = session_->file().first_offset();
    return std::make_unique<SegmentEvents>(source_, from, &sections_);
  }
  // 100 records go to the present file, of which nothing is written, and the next file exists.
  void rotate_before_writes() {
    service_.publish(0, 100);
    session_->request_rotation();
    round();
    service_.publish(0, 50);
    round();
  }
  void write_all() {
    delayed_->delay = false;
    for (int i = 0; i < 5; ++i) round();
  }
  // Sequence numbers.
  std::vector<std::uint64_t> take(SegmentEvents& events) {
    const auto now = clock_ += std::chrono::seconds(10);
    std::vector<std::uint64_t> seen;
    while (events.next(now)) {
      trace::Event event;
      events.get(event);
      EXPECT_EQ(event.kind, trace::EventKind::kRecord);
      seen.push_back(event.record.sequence);
      events.take();
    }
    return seen;
  }
  static std::vector<std::uint64_t> numbers(std::uint64_t count) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t number = 0; number < count; ++number) all.push_back(number);
    return all;
  }

  DelayedBlockIo* delayed_ = nullptr;
  trace::ReadReport report_;
  trace::OpenFiles files_{report_};
  const consumer::TraceSource source_{out_.path(), shm_.path(), files_};
  std::uint32_t sections_ = 0;
  SegmentEvents::Clock::time_point clock_{};
};

TEST_F(TextOfRotatedTraceTest, AnUnwrittenFirstFileIsReadBeforeTheNextOne) {
  start();
  const auto events = reader();
  rotate_before_writes();
  ASSERT_EQ(out_.names_with(".ringtrace").size(), 2U);
  EXPECT_EQ(take(*events).size(), 0U);
  write_all();
  end();
  EXPECT_EQ(take(*events), numbers(150));
}

TEST_F(TextOfRotatedTraceTest, AnUnwrittenAnnouncedFileIsReadBeforeTheNextOne) {
  start();
  const auto events = reader();
  events->continues_at(session_->file().sequence(), session_->file().first_offset());
  rotate_before_writes();
  EXPECT_EQ(take(*events).size(), 0U);
  write_all();
  end();
  EXPECT_EQ(take(*events), numbers(150));
}

TEST_F(TextOfRotatedTraceTest, AnUnwrittenSectionAfterAnotherOneIsReadBeforeTheNextFile) {
  delayed_->delay = false;
  start();
  const auto events = reader();
  service_.publish(0, 70);
  round();
  end();
  EXPECT_EQ(take(*events), numbers(70));
  delayed_->delay = true;
  start();
  ASSERT_EQ(session_->file().sequence(), 0U);
  ASSERT_GT(session_->file().first_offset(), 0U);
  rotate_before_writes();
  EXPECT_EQ(take(*events).size(), 0U);
  write_all();
  end();
  auto expected = numbers(220);
  expected.erase(expected.begin(), expected.begin() + 70);
  EXPECT_EQ(take(*events), expected);
}

}  // namespace
}  // namespace ringside::consumer_test
