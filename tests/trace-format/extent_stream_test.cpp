// Time, order, losses and limits of extents.
#include <gtest/gtest.h>

#include "decoded_record.hpp"

namespace ringside::trace::testing {
namespace {

using shm::FieldType;

class ExtentStream : public ::testing::Test {
 protected:
  void SetUp() override {
    add_site(sites_, {.id = 1});
    add_site(sites_, {.id = 2, .fields = {{.type = FieldType::i32}}});
    add_site(sites_, {.id = 3, .fields = {{.type = FieldType::string}}});
    add_site(sites_, {.id = 4, .flags = shm::kSiteConsumerClock});
  }
  static std::vector<std::uint64_t> times(const RoundTrip& trip) {
    std::vector<std::uint64_t> times;
    for (const Decoded& d : trip.records) times.push_back(d.tsc);
    return times;
  }
  SiteTable sites_;
};

TEST_F(ExtentStream, WritesNothingForAnEmptyInput) {
  const RoundTrip trip =
      round_trip(sites_, {}, {.stream_id = 3, .next_sequence = 5, .last_tsc = 6});
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(trip.output_bytes, 0U);
  EXPECT_EQ(trip.cursor.next_sequence, 5U);
  EXPECT_EQ(trip.cursor.last_tsc, 6U);
}

TEST_F(ExtentStream, WritesNothingForControlRecordsAloneButFollowsTheirClock) {
  const std::string ring = pad_record(40) + clock_record(std::uint64_t{1} << 50) + pad_record(8);
  const RoundTrip trip = round_trip(sites_, ring);
  EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(trip.last.consumed_bytes, ring.size());
  EXPECT_EQ(trip.output_bytes, 0U);
  EXPECT_EQ(trip.cursor.last_tsc, std::uint64_t{1} << 50);
}

TEST_F(ExtentStream, StoresItsFirstRecordAndTimes) {
  const RoundTrip trip =
      round_trip(sites_, plain_record(1, 100) + plain_record(1, 150) + plain_record(1, 150),
                 {.stream_id = 77, .next_sequence = 1000, .last_tsc = 90});
  ASSERT_EQ(trip.extents.size(), 1U);
  const ExtentHeader& h = trip.extents[0];
  EXPECT_EQ(h.stream_id, 77U);
  EXPECT_EQ(h.first_sequence, 1000U);
  EXPECT_EQ(h.base_tsc, 100U);
  EXPECT_EQ(h.min_tsc, 100U);
  EXPECT_EQ(h.max_tsc, 150U);
  EXPECT_EQ(h.records, 3U);
  EXPECT_EQ(h.flags, 0U);
  EXPECT_EQ(h.dropped, 0U);
  EXPECT_EQ(h.drop_cause, 0U);
  EXPECT_EQ(trip.cursor.next_sequence, 1003U);
  EXPECT_EQ(trip.cursor.last_tsc, 150U);
  EXPECT_EQ(trip.records[2].sequence, 1002U);
}

TEST_F(ExtentStream, PutsDropsBeforeTheExtentThatFollowsThem) {
  const std::string ring = plain_record(1, 100) + plain_record(1, 101) +
                           drop_record(110, 5, shm::LossCause::kRingFull) + plain_record(1, 120) +
                           drop_record(130, 2, shm::LossCause::kRingFull) +
                           drop_record(131, 3, shm::LossCause::kNoConsumer);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100, .booked_drops = 1});
  ASSERT_EQ(trip.extents.size(), 4U);
  EXPECT_EQ(trip.extents[0].records, 2U);
  EXPECT_EQ(trip.extents[0].dropped, 0U);
  EXPECT_EQ(trip.extents[1].first_sequence, 7U);
  EXPECT_EQ(trip.extents[1].dropped, 5U);
  EXPECT_EQ(trip.extents[1].drop_cause, 1U);
  EXPECT_EQ(trip.extents[1].records, 1U);
  EXPECT_EQ(trip.extents[2].first_sequence, 10U);
  EXPECT_EQ(trip.extents[2].dropped, 2U);
  EXPECT_EQ(trip.extents[2].drop_cause, 1U);
  EXPECT_EQ(trip.extents[2].records, 0U);
  EXPECT_EQ(trip.extents[3].first_sequence, 13U);
  EXPECT_EQ(trip.extents[3].dropped, 3U);
  EXPECT_EQ(trip.extents[3].drop_cause, 2U) << "each cause has its own extent";
  EXPECT_EQ(trip.extents[3].records, 0U);
  EXPECT_EQ(trip.extents[3].base_tsc, 131U);
  EXPECT_EQ(trip.cursor.next_sequence, 13U);
  EXPECT_EQ(trip.cursor.booked_drops, 11U);
  EXPECT_EQ(trip.cursor.booked_consumer_absent, 3U);
}

TEST_F(ExtentStream, KeepsDropsOfUnknownCauseApartAndUnknown) {
  constexpr auto kNoCause = static_cast<shm::LossCause>(0);
  constexpr auto kNewCause = static_cast<shm::LossCause>(77);
  const std::string ring = drop_record(110, 5, kNoCause) +
                           drop_record(120, 2, shm::LossCause::kRingFull) +
                           drop_record(131, 3, kNewCause) + drop_record(132, 1, kNoCause);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100});
  ASSERT_EQ(trip.extents.size(), 3U);
  EXPECT_EQ(trip.extents[0].dropped, 5U);
  EXPECT_EQ(trip.extents[0].drop_cause, 0U);
  EXPECT_EQ(trip.extents[1].dropped, 2U);
  EXPECT_EQ(trip.extents[1].drop_cause, 1U);
  EXPECT_EQ(trip.extents[2].dropped, 4U);
  EXPECT_EQ(trip.extents[2].drop_cause, 0U);
}

TEST_F(ExtentStream, StopsBeforeADropOnceThereAreRecords) {
  const std::string front = plain_record(1, 100);
  const std::string ring = front + drop_record(110, 5, shm::LossCause::kRingFull);
  ExtentEncoder encoder(sites_);
  StreamCursor cursor;
  Bytes out(8192);
  EncodeResult r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
  EXPECT_EQ(r.stop, EncodeStop::kBeforeDrop);
  EXPECT_EQ(r.consumed_bytes, front.size());
  r = encoder.encode(as_bytes(ring).subspan(r.consumed_bytes), cursor, 0, 0,
                     std::span(out).first(80));
  EXPECT_EQ(r.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(r.dropped, 5U);
  EXPECT_EQ(r.output_bytes, 80U);
}

TEST_F(ExtentStream, RefusesImpossibleDropCounts) {
  const RoundTrip trip =
      round_trip(sites_, drop_record(1, ~std::uint64_t{0}, shm::LossCause::kRingFull));
  EXPECT_EQ(trip.last.stop, EncodeStop::kCorrupt);
  EXPECT_EQ(trip.cursor.next_sequence, 0U);
}

TEST_F(ExtentStream, ReportsThatTimeWentBack) {
  const std::vector<std::uint64_t> expected = {1000, 1500, 400, 900, 1400};
  std::string ring;
  for (const std::uint64_t t : expected) ring += plain_record(1, t);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 1000});
  EXPECT_EQ(times(trip), expected);
  EXPECT_EQ(trip.extents[0].flags, kExtentUnordered);
  EXPECT_EQ(trip.extents[0].base_tsc, 1000U);
  EXPECT_EQ(trip.extents[0].min_tsc, 400U);
  EXPECT_EQ(trip.extents[0].max_tsc, 1500U);
}

TEST_F(ExtentStream, CountsOnWhenTheHeadsTimeWrapsAround) {
  const std::uint64_t wrap = std::uint64_t{1} << shm::kHeadTscBits;
  std::vector<std::uint64_t> expected;
  std::string ring;
  for (std::uint64_t t = 5 * wrap - 500; t < 5 * wrap + 500; t += 100) {
    expected.push_back(t);
    ring += plain_record(t % 200 == 0 ? 1 : 2, t, t % 200 == 0 ? std::string() : raw(1));
  }
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 5 * wrap - 600});
  EXPECT_EQ(times(trip), expected);
  EXPECT_EQ(trip.extents[0].flags, 0U);
}

TEST_F(ExtentStream, TakesTheFullTimeFromClockRecordsAnywhere) {
  const std::uint64_t far = std::uint64_t{99} << 44;
  const std::string ring = plain_record(1, 100) + clock_record(far) + plain_record(1, far + 5) +
                           plain_record(2, far + 7, raw(1)) + clock_record(3 * far) +
                           plain_record(1, 3 * far - 1) + clock_record(3 * far) +
                           clock_record(far) + plain_record(1, far) + plain_record(1, far + 1);
  const RoundTrip trip = round_trip(sites_, ring);
  EXPECT_EQ(times(trip),
            (std::vector<std::uint64_t>{100, far + 5, far + 7, 3 * far - 1, far, far + 1}));
  EXPECT_EQ(trip.cursor.last_tsc, far + 1);
}

TEST_F(ExtentStream, MarksExtentsThatAreOlderThanTheWatermark) {
  const std::string ring = plain_record(1, 100) + plain_record(1, 200);
  EXPECT_EQ(round_trip(sites_, ring, {}, 8192, 100).extents[0].flags, 0U);
  EXPECT_EQ(round_trip(sites_, ring, {}, 8192, 101).extents[0].flags, kExtentLate);
}

TEST_F(ExtentStream, StampsConsumerClockSitesButNeverBackwards) {
  const std::string ring =
      plain_record(4, 0) + plain_record(4, 0) + plain_record(1, 5000) + plain_record(4, 0);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100}, 8192, 0, 3000);
  EXPECT_EQ(times(trip), (std::vector<std::uint64_t>{3000, 3000, 5000, 5000}));
}

// A service that has left its segment without a consumer for hours: the range of 44 bits is some
// two.
TEST_F(ExtentStream, ALateStampOfTheConsumerMovesNoOtherRecord) {
  const std::uint64_t now = std::uint64_t{3} << 44;
  const std::string ring = plain_record(1, 5000) + plain_record(4, 0) + plain_record(1, 6000);
  const RoundTrip trip = round_trip(sites_, ring, {.last_tsc = 100}, 8192, 0, now);
  EXPECT_EQ(times(trip), (std::vector<std::uint64_t>{5000, now, 6000}));
}

TEST_F(ExtentStream, FollowsAlternatingSitesWithoutSpendingBytes) {
  std::string ring;
  std::vector<Decoded> expected;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint32_t id = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 3;
    const std::string args = id == 1 ? std::string() : id == 2 ? raw(7) : raw_text("text");
    ring += plain_record(id, 10 + i, args);
    expected.push_back({10 + i, i, id, 0, {}, args});
  }
  const RoundTrip trip = round_trip(sites_, ring);
  EXPECT_EQ(trip.records, expected);
  EXPECT_LT(trip.output_bytes, 3000U * 2 + 200);
}

TEST_F(ExtentStream, EndsAnExtentAtTheMaximumNumberOfSites) {
  SiteTable sites;
  const std::uint32_t count = 65536 + 300;
  std::string ring;
  for (std::uint32_t id = 1; id <= count; ++id) {
    add_site(sites, {.id = id});
    ring += plain_record(id, id);
  }
  // In the opposite direction, so that sites with long indexes follow each other without a pattern.
  for (std::uint32_t id = 60000; id > 6; id -= 7) ring += plain_record(id, 70000);
  const RoundTrip trip = round_trip(sites, ring, {}, 4 << 20);
  ASSERT_EQ(trip.extents.size(), 2U);
  EXPECT_EQ(trip.extents[0].records, 65536U);
  ASSERT_EQ(trip.records.size(), ring.size() / 8);
  EXPECT_EQ(trip.records[65536].site_id, 65537U);
  EXPECT_EQ(trip.records[count].site_id, 60000U);
  EXPECT_EQ(trip.records.back().site_id, 60000U % 7 + 7);
}

TEST_F(ExtentStream, KeepsNothingFromOneExtentForTheNext) {
  ExtentEncoder encoder(sites_);
  const std::string ring = plain_record(2, 50, raw(9)) + plain_record(3, 51, raw_text("abc"));
  StreamCursor first;
  StreamCursor second;
  Bytes a(8192);
  Bytes b(8192);
  const auto ra = encoder.encode(as_bytes(ring), first, 0, 0, a);
  const auto rb = encoder.encode(as_bytes(ring), second, 0, 0, b);
  ASSERT_EQ(ra.output_bytes, rb.output_bytes);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), ra.output_bytes), 0);
}

TEST_F(ExtentStream, LearnsSitesThatAreAddedBetweenCalls) {
  ExtentEncoder encoder(sites_);
  StreamCursor cursor;
  Bytes out(8192);
  const std::string ring = plain_record(500, 50, raw(9));
  const auto unknown = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
  EXPECT_EQ(unknown.stop, EncodeStop::kCorrupt);
  add_site(sites_, {.id = 500, .fields = {{.type = FieldType::i32}}});
  const auto known = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
  EXPECT_EQ(known.stop, EncodeStop::kInputEnd);
  EXPECT_EQ(known.records, 1U);
}

TEST_F(ExtentStream, EncodesTheLargestRecordIntoTwiceItsSize) {
  const std::string text(shm::kMaxRecordBytes - 12, 'x');
  const std::string ring = plain_record(3, 50, raw_text(text)) + plain_record(3, 51, raw_text("y"));
  const RoundTrip trip = round_trip(sites_, ring, {}, 2 * shm::kMaxRecordBytes + 4096);
  ASSERT_EQ(trip.records.size(), 2U);
  EXPECT_EQ(trip.records[0].args, raw_text(text));
}

TEST_F(ExtentStream, StopsAtAnyOutputSizeWithWholeRecords) {
  std::string ring;
  std::vector<Decoded> expected;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string args =
        i % 2 == 0 ? raw(static_cast<std::int32_t>(i * i * i)) : raw_text(std::string(i, 'x'));
    ring += plain_record(i % 2 == 0 ? 2 : 3, 10 + i, args);
    expected.push_back({10 + i, i, i % 2 == 0 ? 2U : 3U, 0, {}, args});
  }
  for (std::size_t out = 2 * 211 + 4096; out < 6000; out += 13) {
    const RoundTrip trip = round_trip(sites_, ring, {}, out);
    EXPECT_EQ(trip.last.stop, EncodeStop::kInputEnd);
    ASSERT_EQ(trip.records, expected) << out;
  }
  ExtentEncoder encoder(sites_);
  for (std::size_t out_bytes = 0; out_bytes < 2000; ++out_bytes) {
    Bytes out(out_bytes);
    StreamCursor cursor;
    const EncodeResult r = encoder.encode(as_bytes(ring), cursor, 0, 0, out);
    EXPECT_EQ(r.stop, EncodeStop::kOutputFull);
    EXPECT_EQ(r.consumed_bytes == 0, r.output_bytes == 0);
    EXPECT_LE(r.output_bytes, out_bytes);
  }
}

}  // namespace
}  // namespace ringside::trace::testing
