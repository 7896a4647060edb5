// The ring of one thread: laps, the ring's end, and records that are too large.

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

const std::uint64_t kRing = tested_ring_bytes();
const auto kMaxRecord = static_cast<std::uint32_t>(kRing / 4);

void small_ring(const char* policy = "drop") {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kRing).c_str(), 1);
  setenv("RINGSIDE_OVERFLOW", policy, 1);
}

std::uint64_t producer_pos() {
  return own_segment().ring(own_segment().my_ring()).producer.producer_pos.load();
}

PROCESS_TEST(Ring, PreallocateTakesItBeforeTheFirstRecord) {
  small_ring();
  ASSERT_TRUE(preallocate());
  EXPECT_EQ(own_segment().rings_used(), 1U);
  ASSERT_EQ(own_segment().records(0).size(), 1U);
  EXPECT_EQ(own_segment().records(0)[0].code, shm::kCodeClock);
  ASSERT_TRUE(preallocate());
  RS_INFO("first");
  const std::vector<Record> records = own_segment().records(0);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].bytes, shm::kHeadBytes);
}

PROCESS_TEST(Ring, IdentityNamesTheThread) {
  small_ring();
  pthread_setname_np(pthread_self(), "ring-owner");
  RS_INFO("one");
  const shm::IdentityLine& identity = own_segment().ring(0).identity;
  EXPECT_EQ(identity.thread_id, static_cast<std::uint32_t>(gettid()));
  EXPECT_STREQ(identity.thread_name, "ring-owner");
  EXPECT_EQ(identity.generation.load(), 1U);
  EXPECT_EQ(identity.stream_id, 1U);
  EXPECT_EQ(identity.start_pos, 0U);
  EXPECT_EQ(identity.state.load(), static_cast<std::uint32_t>(shm::RingState::kActive));
}

// 20-byte records do not divide the ring, so every lap ends in the middle of one.
PROCESS_TEST(Ring, EveryLapBringsAClockAndNoRecordIsTorn) {
  small_ring();
  std::uint64_t next = 0;
  std::uint64_t clocks = 0;
  std::uint64_t last_clock_pos = 0;
  std::uint64_t spanning = 0;
  preallocate();
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& r) {
    if (r.code == shm::kCodeClock) {
      EXPECT_LE(r.pos - last_clock_pos, kRing);
      last_clock_pos = r.pos;
      ++clocks;
      return;
    }
    EXPECT_LE(r.pos + r.bytes - last_clock_pos, kRing + shm::kClockRecordBytes);
    ASSERT_EQ(r.values.size(), 2U);
    EXPECT_EQ(r.values[0], "i64 " + std::to_string(next));
    EXPECT_EQ(r.values[1], "u32 " + std::to_string(static_cast<std::uint32_t>(next * 7)));
    if (r.pos / kRing != (r.pos + r.bytes - 1) / kRing) ++spanning;
    ++next;
  });
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    RS_INFO("%ld %u", static_cast<long>(i), static_cast<std::uint32_t>(i * 7));
    if (i % (kRing / 40) == 0) consumer.poll();
  }
  consumer.poll();
  EXPECT_EQ(next, 50'000U);
  EXPECT_GE(clocks, producer_pos() / kRing);
  EXPECT_GT(spanning, 5U);
  EXPECT_EQ(status().dropped, 0U);
}

PROCESS_TEST(Ring, ARecordMayEndExactlyWhereTheRingDoes) {
  small_ring();
  preallocate();
  // 24 bytes of clock, then 16-byte records: a record of 8 bytes first makes the last one end with
  // the ring.
  RS_INFO("8 bytes");
  while (producer_pos() + 16 <= kRing) RS_INFO("%ld", 1L);
  EXPECT_EQ(producer_pos(), kRing);
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(own_segment().records(0).size(), 2 + (kRing - 32) / 16);
  RS_INFO("%ld", 2L);
  EXPECT_EQ(status().dropped, 1U);
  EXPECT_EQ(producer_pos(), kRing);
}

PROCESS_TEST(Ring, StoresARecordOfAQuarterRingWhole) {
  small_ring();
  preallocate();
  const std::string text(kMaxRecord - 12, 'q');
  RS_INFO("%s", text.c_str());
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 1U);
  EXPECT_EQ(data[0].bytes, kMaxRecord);
  EXPECT_FALSE(data[0].is_cut());
  EXPECT_EQ(data[0].values[0], "string " + text);
  EXPECT_EQ(own_segment().ring(0).counters.cut_records.load(), 0U);
}

PROCESS_TEST(Ring, CutsARecordOfOneByteMore) {
  small_ring();
  preallocate();
  const std::string text(kMaxRecord - 11, 'q');
  RS_INFO("%s", text.c_str());
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 1U);
  EXPECT_TRUE(data[0].is_cut());
  EXPECT_EQ(data[0].bytes, kMaxRecord);
  EXPECT_EQ(data[0].values[0], "string " + std::string(kMaxRecord - 24, 'q'));
  EXPECT_EQ(own_segment().ring(0).counters.cut_records.load(), 1U);
}

// Before a thread has a ring, the size limit of its records is not known from the ring.
PROCESS_TEST(Ring, CutsALargeRecordThatIsTheFirstOfItsThread) {
  small_ring();
  const std::string text(10 * kRing, 'f');
  RS_INFO("%s", text.c_str());
  RS_INFO("next");
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_TRUE(data[0].is_cut());
  EXPECT_EQ(status().dropped, 0U);
}

PROCESS_TEST(Ring, CutsAtTheBoundaryOfACharacter) {
  small_ring();
  preallocate();
  std::string euros;
  while (euros.size() < kRing) euros += "€";
  for (int shift = 0; shift < 3; ++shift) {
    const std::string text = std::string(static_cast<std::size_t>(shift), 'a') + euros;
    RS_INFO("%s", text.c_str());
    const std::vector<Record> data = own_segment().data(0);
    ASSERT_EQ(data.size(), static_cast<std::size_t>(shift + 1));
    EXPECT_TRUE(data.back().is_cut());
    const std::string kept = data.back().values[0].substr(7);
    EXPECT_EQ(kept, text.substr(0, kept.size()));
    EXPECT_EQ((kept.size() - static_cast<std::size_t>(shift)) % 3, 0U);
    EXPECT_GT(kept.size(), kMaxRecord - 24 - 3);
  }
}

PROCESS_TEST(Ring, CutsWideTextAtTheBoundaryOfACharacter) {
  small_ring();
  preallocate();
  const std::wstring text(kRing, L'€');
  RS_INFO("%ls %lc", text.c_str(), L'ä');
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 1U);
  EXPECT_TRUE(data[0].is_cut());
  const std::size_t kept = data[0].values[0].size() - 7;
  EXPECT_EQ(kept % 3, 0U);
  EXPECT_GT(kept, kMaxRecord - 40);
  EXPECT_EQ(data[0].values[1], "string ä");
}

PROCESS_TEST(Ring, SeveralStringsShareACutFairly) {
  small_ring();
  preallocate();
  const std::string large(kRing, 'l');
  const std::string larger(2 * kRing, 'm');
  RS_INFO("%s %d %s %s %f", large.c_str(), 7, "short", larger.c_str(), 0.5);
  const std::vector<Record> data = own_segment().data(0);
  ASSERT_EQ(data.size(), 1U);
  const Record& r = data[0];
  EXPECT_TRUE(r.is_cut());
  EXPECT_LE(r.bytes, kMaxRecord);
  EXPECT_GE(r.bytes, kMaxRecord - 2);
  EXPECT_EQ(r.values[1], "i32 7");
  EXPECT_EQ(r.values[2], "string short");
  EXPECT_EQ(r.values[4], "f64 0.5");
  EXPECT_EQ(r.values[0].size(), r.values[3].size());
}

PROCESS_TEST(Ring, CutsManyStringsOfAllSizes) {
  small_ring();
  preallocate();
  TestConsumer consumer(own_segment(), [](std::uint32_t, const Record& r) {
    if (!r.is_data()) return;
    EXPECT_LE(r.bytes, kMaxRecord);
  });
  const std::string text(kRing, 'x');
  for (int size = 4000; size < 12'000; size += 7) {
    RS_INFO("%.*s%.*s%.*s", size, text.c_str(), size / 2, text.c_str(), size * 2, text.c_str());
    consumer.poll();
  }
  EXPECT_EQ(status().dropped, 0U);
}

}  // namespace
}  // namespace ringside::test
