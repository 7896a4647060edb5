// Records of many threads at the same time come out in the order of time, each unchanged.
#include <algorithm>
#include <memory>
#include <tuple>

#include <gtest/gtest.h>

#include "random_records.hpp"
#include "trace_file_builder.hpp"

namespace ringside::trace::testing {
namespace {

using Times = std::vector<std::uint64_t>;

struct Expected {
  std::uint64_t stream_id = 0;
  Decoded record;

  auto place() const { return std::tuple(record.tsc, stream_id, record.sequence); }
  bool operator==(const Expected&) const = default;
};

// Rounds of extents with random records; a sequence point follows each round.
class RandomStreams {
 public:
  RandomStreams(std::uint64_t seed, std::uint64_t streams) : random_(seed) {
    SectionHeader header;
    header.uuid[0] = 1;
    header.tick_hz = 1'000'000'000;
    put([&](auto out) { return write_header_block(header, out); });
    const ClockPoint clock{0, 0, std::uint64_t{1} << 40, 0, 0};  // a tick is a nanosecond
    put([&](auto out) { return write_clock_block(clock, out); });
    for (std::uint32_t i = 0; i < 12; ++i) {
      sites_.push_back(random_.site(1 + 3 * i));
      add_site(table_, sites_.back());
      put([&](auto out) { return write_dictionary_block(site_entry(sites_.back()), out); });
    }
    cursors_.resize(streams);
    for (std::uint64_t i = 0; i < streams; ++i) cursors_[i].stream_id = 1000 - 3 * i;
    const std::uint64_t rounds = 1 + random_.below(4);
    for (std::uint64_t i = 0; i < rounds; ++i) round();
    std::sort(expected_.begin(), expected_.end(),
              [](const Expected& a, const Expected& b) { return a.place() < b.place(); });
  }

  const Bytes& bytes() const { return bytes_; }
  const std::vector<Expected>& expected() const { return expected_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  template <class Write>
  void put(Write&& write) {
    const std::size_t written = write(std::span<std::byte>(buffer_));
    bytes_.insert(bytes_.end(), buffer_.begin(),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(written));
  }

  void round() {
    const std::uint64_t length = std::uint64_t{10} << random_.below(30);
    std::vector<StreamPosition> positions;
    for (StreamCursor& cursor : cursors_) {
      const std::uint64_t extents = random_.below(4);
      for (std::uint64_t i = 0; i < extents; ++i) {
        extent(cursor, now_ + i * length, now_ + (i + 1) * length);
      }
      positions.push_back({cursor.stream_id, cursor.next_sequence});
    }
    now_ += 4 * length;
    put([&](auto out) { return write_sequence_point_block(now_, positions, out); });
  }

  // The records of [begin, end), in order or not.
  void extent(StreamCursor& cursor, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t count = 1 + random_.below(random_.below(10) == 0 ? 300 : 8);
    Times times(count);
    for (std::uint64_t& t : times) t = begin + random_.below(end - begin);
    if (random_.below(3) != 0) std::sort(times.begin(), times.end());
    std::string ring;
    std::uint64_t first = cursor.next_sequence;
    if (random_.below(5) == 0) {
      const std::uint64_t lost = 1 + random_.below(9);
      ring += drop_record(times.front(), lost, shm::LossCause::kRingFull);
      dropped_ += lost;
      first += lost;
    }
    std::vector<Decoded> records;
    random_.enter_stream(cursor.stream_id);
    for (const std::uint64_t t : times) {
      random_.record(sites_[random_.below(sites_.size())], t, ring, records);
    }
    for (Decoded& record : records) {
      record.sequence += first;
      // Shown with the records after it.
      if (table_.find(record.site_id)->kind == shm::SiteKind::kContext) continue;
      expected_.push_back({cursor.stream_id, std::move(record)});
    }
    cursor.last_tsc = times.front();
    std::size_t taken = 0;
    while (taken < ring.size()) {
      put([&](auto out) {
        const EncodeResult done =
            encoder_.encode(as_bytes(ring).subspan(taken), cursor, now_, 0, out);
        EXPECT_NE(done.consumed_bytes, 0U);
        taken += done.consumed_bytes == 0 ? ring.size() : done.consumed_bytes;
        return done.output_bytes;
      });
    }
  }

  RandomRecords random_;
  std::vector<TestSite> sites_;
  SiteTable table_;
  ExtentEncoder encoder_{table_};
  std::vector<StreamCursor> cursors_;
  std::uint64_t now_ = 1'000'000;
  std::uint64_t dropped_ = 0;
  Bytes buffer_ = Bytes(4 << 20);
  Bytes bytes_;
  std::vector<Expected> expected_;
};

void expect_all_in_order(const RandomStreams& trace, const std::string& path, unsigned threads) {
  ReadOptions options;
  options.threads = threads;
  auto set = TraceSet::open(std::vector<std::string>{path}, options, nullptr);
  ASSERT_TRUE(set);
  Event event;
  std::size_t next = 0;
  std::uint64_t lost = 0;
  while (set->next(event)) {
    if (event.kind == EventKind::kLoss) {
      lost += event.lost;
      continue;
    }
    ASSERT_LT(next, trace.expected().size());
    const Expected& expected = trace.expected()[next++];
    ASSERT_EQ(event.unix_ns, expected.record.tsc);
    ASSERT_EQ(event.record.stream_id, expected.stream_id);
    ASSERT_EQ(event.stream->id, expected.stream_id);
    ASSERT_EQ(owned(event.record), expected.record);
  }
  EXPECT_EQ(next, trace.expected().size());
  EXPECT_EQ(lost, trace.dropped());
  EXPECT_EQ(set->report().late_records, 0U);
  EXPECT_EQ(set->report().missing_records, 0U);
  EXPECT_TRUE(set->report().notes.empty());
}

TEST(ManyStreams, ComeInTheOrderOfTimeWithAllTheirValues) {
  const TemporaryDirectory directory;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    const RandomStreams trace(seed, seed % 2 == 0 ? 8 + seed : 100);
    const std::string path = directory.write("random.ringtrace", trace.bytes());
    expect_all_in_order(trace, path, 1);
    if (seed % 4 == 0) expect_all_in_order(trace, path, 2);
    if (HasFatalFailure()) return;
  }
}

// After a quiet time, more arrives at once than a slice of time can hold.
TEST(ManyStreams, StayInOrderWhenABurstFollowsAQuietTime) {
  constexpr std::uint64_t kStreams = 12;
  constexpr std::uint64_t kQuiet = 1'000'000'000;
  TraceFileBuilder file;
  file.begin();
  for (std::uint64_t s = 1; s <= kStreams; ++s) {
    Times times;
    for (std::uint64_t i = 0; i < 200; ++i) times.push_back(i * kQuiet + s);
    file.extent(s, times);
  }
  const std::uint64_t burst = 200 * kQuiet;
  std::uint64_t records = 200 * kStreams;
  for (std::uint64_t i = 0; i < 2; ++i) {
    for (std::uint64_t s = 1; s <= kStreams; ++s) {
      Times times;
      for (std::uint64_t k = 0; k < 12'000; ++k)
        times.push_back(burst + i * 50'000 + 4 * k + s % 3);
      file.extent(s, times);
      records += times.size();
    }
  }
  file.sequence_point(burst + kQuiet);
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  ASSERT_EQ(r.events.size(), records);
  EXPECT_EQ(r.report.late_records, 0U);
  for (std::size_t i = 1; i < r.events.size(); ++i) {
    const ReadEvent& a = r.events[i - 1];
    const ReadEvent& b = r.events[i];
    ASSERT_LT(std::tuple(a.unix_ns, a.stream_id, a.sequence),
              std::tuple(b.unix_ns, b.stream_id, b.sequence));
  }
}

// The extent's flags say that its times rise, but they do not: a late record comes directly after
// the record before it, whichever other streams are read.
TEST(ManyStreams, GiveARecordThatIsLateWithinItsExtentDirectlyAfterThePreviousOne) {
  TraceFileBuilder file;
  file.begin();
  for (std::uint64_t s = 1; s <= 10; ++s) {
    if (s == 5) continue;
    file.extent(s, {100 + s, 200 + s, 300 + s});
  }
  const std::size_t begin = file.bytes.size();
  file.extent(5, {105, 205, 150, 305});
  std::byte* const block = file.bytes.data() + begin;
  block[kBlockHeaderBytes + 44] &= ~std::byte{1};
  write_block_frame(block, BlockType::kExtent, file.bytes.size() - begin - kBlockHeaderBytes, 0);
  file.sequence_point(400);
  file.end();
  const ReadResult r = read_bytes(file.bytes);
  ASSERT_EQ(r.events.size(), 31U);
  EXPECT_EQ(r.report.late_records, 1U);
  const auto late = std::find_if(r.events.begin(), r.events.end(),
                                 [](const ReadEvent& e) { return e.unix_ns == 150; });
  ASSERT_NE(late, r.events.end());
  EXPECT_EQ((late - 1)->unix_ns, 205U);
  EXPECT_EQ((late - 1)->stream_id, 5U);
  EXPECT_EQ((late + 1)->unix_ns, 206U);
}

}  // namespace
}  // namespace ringside::trace::testing
