// Records of a fixed size at the end of a ring's space, and records of a size that the caller
// computes.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/context.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

const std::uint64_t kRingBytes = tested_ring_bytes();

using LogCall = void (*)();

// Records of 56 to 96 bytes: a head and six to eleven numbers. Those of more than 64 bytes are
// tested by their end, the others by their start.
constexpr LogCall kFixedRecords[] = {
    [] { RS_INFO("%ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L); },
    [] { RS_INFO("%ld %ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L, 7L); },
    [] { RS_INFO("%ld %ld %ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L); },
    [] { RS_INFO("%ld %ld %ld %ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L); },
    [] {
      RS_INFO("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L);
    },
    [] {
      RS_INFO("%ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L,
              10L, 11L);
    },
};
constexpr std::uint64_t kSmallestRecord = 56;

std::uint64_t end_of_ring() {
  return own_segment().ring(0).producer.producer_pos.load();
}

// Records of 8 bytes until only `room` bytes are left.
void leave_room(std::uint64_t room) {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kRingBytes).c_str(), 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  preallocate();
  while (end_of_ring() + 8 + room <= kRingBytes) RS_INFO("8 bytes");
  ASSERT_EQ(end_of_ring(), kRingBytes - room);
}

PROCESS_TEST(RingEnd, AFixedRecordFillsTheRingToTheByte) {
  std::uint64_t bytes = kSmallestRecord;
  for (const LogCall log : kFixedRecords) {
    EXPECT_EQ(run_child([log, bytes] {
                leave_room(bytes);
                log();
                EXPECT_EQ(status().dropped, 0U) << bytes;
                EXPECT_EQ(end_of_ring(), kRingBytes) << bytes;
                EXPECT_EQ(own_segment().records(0).back().bytes, bytes);
              }),
              0);
    bytes += 8;
  }
}

PROCESS_TEST(RingEnd, AFixedRecordEightBytesLargerThanTheSpaceIsDropped) {
  std::uint64_t bytes = kSmallestRecord;
  for (const LogCall log : kFixedRecords) {
    EXPECT_EQ(run_child([log, bytes] {
                leave_room(bytes - 8);
                log();
                EXPECT_EQ(status().dropped, 1U) << bytes;
                EXPECT_LE(end_of_ring(), kRingBytes) << bytes;
              }),
              0);
    bytes += 8;
  }
}

PROCESS_TEST(RingEnd, ALargeRecordDoesNotPassTheEnd) {
  leave_room(512);
  const std::string text(900, 't');
  RS_INFO("%s", text.c_str());
  EXPECT_EQ(status().dropped, 1U);
  EXPECT_LE(end_of_ring(), kRingBytes);
}

PROCESS_TEST(RingEnd, ADroppedLargeRecordIsMarkedBeforeASmallOneThatFits) {
  leave_room(512);
  const std::string text(900, 't');
  RS_INFO("%s", text.c_str());
  RS_INFO("%ld", 1L);
  const std::vector<Record> records = own_segment().records(0);
  EXPECT_EQ(records.back().bytes, 16U);
  ASSERT_EQ(records[records.size() - 2].code, shm::kCodeDrop);
  EXPECT_EQ(records[records.size() - 2].words[0], 1U);
}

// All unread records, which must be within the lap that began at position 0 or a later one: what
// passes a lap's end may pass the end of the mapping.
std::vector<Record> consumed_laps() {
  std::vector<Record> records;
  TestConsumer(own_segment(), [&records](std::uint32_t, const Record& r) {
    records.push_back(r);
  }).poll();
  std::uint64_t lap_end = kRingBytes;
  for (const Record& record : records) {
    if (record.code == shm::kCodeClock) lap_end = record.pos + kRingBytes;
    EXPECT_LE(record.pos + record.bytes, lap_end) << record.code;
  }
  return records;
}

// Each of them is larger than the record, for which the lap has just enough room.
PROCESS_TEST(RingEnd, ADropMarkBeginsALapRatherThanPassItsEnd) {
  leave_room(8);
  RS_INFO("%ld", 1L);
  consumed_laps();
  RS_INFO("8 bytes");
  const std::vector<Record> records = consumed_laps();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].code, shm::kCodeClock);
  EXPECT_EQ(records[1].code, shm::kCodeDrop);
  EXPECT_EQ(records[1].words[0], 1U);
  EXPECT_EQ(records[2].bytes, 8U);
}

PROCESS_TEST(RingEnd, AContextBeginsALapRatherThanPassItsEnd) {
  leave_room(8);
  consumed_laps();
  const Context context{{"user", 7}};
  RS_INFO("8 bytes");
  const std::vector<Record> records = consumed_laps();
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].code, shm::kCodeClock);
  EXPECT_EQ(records[1].values, std::vector<std::string>{"i64 7"});
  EXPECT_EQ(records[2].bytes, 8U);
}

}  // namespace
}  // namespace ringside::test
