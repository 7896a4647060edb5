// The processor of records, from clock records in a ring to extents and their decoder.
#include <gtest/gtest.h>

#include "decoded_record.hpp"

namespace ringside::trace::testing {
namespace {

constexpr std::uint32_t code(std::uint32_t processor) {
  return shm::processor_code(processor);
}

class ExtentProcessor : public ::testing::Test {
 protected:
  void SetUp() override { add_site(sites_, {.id = 1}); }
  SiteTable sites_;
};

TEST(ProcessorCode, SurvivesTheHeadOfAClockRecord) {
  for (const std::uint64_t tsc : {std::uint64_t{0}, std::uint64_t{0xFFFF}, ~std::uint64_t{0},
                                  std::uint64_t{0x1234'5678'9ABC'DEF0}}) {
    for (const std::uint32_t processor : {0U, 1U, 255U, 0xFFFEU}) {
      const std::uint64_t head = shm::make_clock_head(tsc, code(processor));
      EXPECT_EQ(shm::head_id(head), shm::kCodeClock);
      EXPECT_EQ(shm::clock_processor(head, tsc), processor + 1);
    }
    EXPECT_EQ(shm::clock_processor(shm::make_clock_head(tsc, 0), tsc), 0U);
    EXPECT_EQ(shm::clock_processor(shm::make_head(tsc, shm::kCodeClock), tsc), 0U)
        << "of a library before 1.7";
  }
}

TEST(ProcessorCode, IsUnknownBeyondItsRange) {
  EXPECT_EQ(code(0xFFFE), 0xFFFFU);
  EXPECT_EQ(code(0xFFFF), 0U);
  EXPECT_EQ(code(UINT32_MAX), 0U);
  const std::uint64_t damaged = shm::make_head(1000, shm::kCodeClock);
  EXPECT_EQ(shm::clock_processor(damaged, std::uint64_t{1000} ^ (1U << 16)), 0U);
}

TEST_F(ExtentProcessor, IsThatOfTheLastClockRecord) {
  const std::string ring = clock_record(90, 0, code(3)) + plain_record(1, 100) +
                           plain_record(1, 110) + clock_record(115, 0, code(3)) +
                           plain_record(1, 120) + clock_record(125, 0, code(0)) +
                           plain_record(1, 130);
  const RoundTrip trip = round_trip(sites_, ring);
  ASSERT_EQ(trip.extents.size(), 2U) << "one extent for each processor";
  EXPECT_EQ(trip.extents[0].records, 3U);
  EXPECT_EQ(trip.extents[0].processor(), code(3));
  EXPECT_EQ(trip.extents[1].records, 1U);
  EXPECT_EQ(trip.extents[1].processor(), code(0));
  EXPECT_EQ(trip.extents[1].flags & ~0xFFFF0000U, 0U);
  ASSERT_EQ(trip.records.size(), 4U);
  EXPECT_EQ(trip.records[2].sequence, 2U);
  EXPECT_EQ(trip.records[3].sequence, 3U);
  EXPECT_EQ(trip.cursor.processor, code(0));
}

TEST_F(ExtentProcessor, ContinuesFromTheCursor) {
  const RoundTrip trip = round_trip(sites_, plain_record(1, 100), {.processor = code(7)});
  ASSERT_EQ(trip.extents.size(), 1U);
  EXPECT_EQ(trip.extents[0].processor(), code(7));
  EXPECT_EQ(trip.cursor.processor, code(7));
}

TEST_F(ExtentProcessor, FollowsControlRecordsWithoutRecords) {
  const RoundTrip trip = round_trip(sites_, clock_record(90, 0, code(2)), {.processor = code(7)});
  EXPECT_EQ(trip.output_bytes, 0U);
  EXPECT_EQ(trip.cursor.processor, code(2));
}

TEST_F(ExtentProcessor, IsUnknownAgainAfterAClockRecordWithoutOne) {
  const RoundTrip trip =
      round_trip(sites_, clock_record(90) + plain_record(1, 100), {.processor = code(7)});
  ASSERT_EQ(trip.extents.size(), 1U);
  EXPECT_EQ(trip.extents[0].flags, 0U);
}

TEST_F(ExtentProcessor, KeepsADropBeforeAMoveWithTheRecordsAfterIt) {
  const std::string ring = clock_record(90, 0, code(1)) + plain_record(1, 100) +
                           drop_record(110, 5, shm::LossCause::kRingFull) +
                           clock_record(111, 0, code(2)) + plain_record(1, 120);
  const RoundTrip trip = round_trip(sites_, ring);
  ASSERT_EQ(trip.extents.size(), 2U);
  EXPECT_EQ(trip.extents[0].processor(), code(1));
  EXPECT_EQ(trip.extents[1].dropped, 5U);
  EXPECT_EQ(trip.extents[1].records, 1U);
  EXPECT_EQ(trip.extents[1].processor(), code(2));
}

TEST_F(ExtentProcessor, IsNotStatedByAnExtentWithoutRecords) {
  const RoundTrip trip = round_trip(
      sites_, clock_record(90, 0, code(1)) + drop_record(110, 5, shm::LossCause::kRingFull));
  ASSERT_EQ(trip.extents.size(), 1U);
  EXPECT_EQ(trip.extents[0].records, 0U);
  EXPECT_EQ(trip.extents[0].flags, 0U);
}

TEST_F(ExtentProcessor, IsDeliveredWithEachRecord) {
  ExtentEncoder encoder(sites_);
  Bytes block(4096);
  const std::string ring = clock_record(90, 0, code(5)) + plain_record(1, 100) +
                           extended_record(1, 110, shm::kExtSubstream, raw(std::uint64_t{9}), "") +
                           plain_record(1, 120);
  StreamCursor cursor;
  const EncodeResult done = encoder.encode(as_bytes(ring), cursor, 0, 0, block);
  ExtentDecoder decoder;
  std::string why;
  const auto payload =
      std::span<const std::byte>(block).first(done.output_bytes).subspan(kBlockHeaderBytes);
  ASSERT_TRUE(decoder.open(payload, sites_, &why)) << why;
  Record record;
  int records = 0;
  for (; decoder.next(record); ++records) EXPECT_EQ(record.processor, code(5)) << records;
  EXPECT_EQ(records, 3);
}

}  // namespace
}  // namespace ringside::trace::testing
