// Time stamps that are further apart than the 44 bits of a record's head can hold.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/record_head.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

// As a log call of a statement without arguments that reads `tsc` from the clock.
void record_at(std::uint64_t tsc, std::uint64_t site_id) {
  rs_thread& t = rs_thread_state;
  std::uint64_t start = rs_fetch_add_local(&t.pos, shm::kHeadBytes);
  if (start >= t.limit || tsc > t.clock_due) {
    start = rs_reserve_slow(start, shm::kHeadBytes, tsc);
    tsc = t.slow_tsc;
  }
  ASSERT_LT(start, RS_DROPPED);
  const std::uint64_t head = shm::make_head(tsc, static_cast<std::uint32_t>(site_id));
  std::memcpy(rs_place(start), &head, sizeof head);
  rs_publish(start, shm::kHeadBytes);
}

// The times of all records, each from the nearest clock record before it.
std::vector<std::uint64_t> recorded_times() {
  std::vector<std::uint64_t> times;
  std::uint64_t reference = 0;
  for (const Record& r : own_segment().records(0)) {
    if (r.code == shm::kCodeClock) reference = r.words[0];
    if (r.is_data()) times.push_back(shm::widen_tsc(r.tsc, reference));
  }
  return times;
}

PROCESS_TEST(RecordTime, IsCompleteHoweverFarApartRecordsAre) {
  RS_INFO("clock");
  const std::uint64_t id = own_segment().data(0).back().code;
  std::vector<std::uint64_t> expected = recorded_times();
  std::uint64_t tsc = expected.back();
  for (const unsigned bits : {40U, 41U, 42U, 43U, 44U, 45U, 50U}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      tsc += (std::uint64_t{1} << bits) + static_cast<std::uint64_t>(more);
      expected.push_back(tsc);
      record_at(tsc, id);
    }
  }
  // Small steps over many times the range of a head.
  for (int i = 0; i < 200; ++i) {
    tsc += (std::uint64_t{1} << 40) + 12'345;
    expected.push_back(tsc);
    record_at(tsc, id);
  }
  EXPECT_EQ(recorded_times(), expected);
}

PROCESS_TEST(RecordTime, AClockRecordComesOnceInAQuarterOfTheRangeOfAHead) {
  RS_INFO("clock");
  const std::uint64_t id = own_segment().data(0).back().code;
  std::uint64_t tsc = recorded_times().back();
  for (int i = 0; i < 4 * 16; ++i) record_at(tsc += shm::kClockIntervalTicks / 4, id);
  std::size_t clocks = 0;
  for (const Record& r : own_segment().records(0)) clocks += r.code == shm::kCodeClock ? 1U : 0U;
  EXPECT_GE(clocks, 13U);
  EXPECT_LE(clocks, 17U);
}

PROCESS_TEST(RecordTime, ACallAfterTheDueTimeTakesTheSlowPath) {
  setenv("RINGSIDE_PROCESSOR_INTERVAL_MS", "0",
         1);  // each slow path makes a check, and plans the next
  RS_INFO("clock");
  rs_thread_state.clock_due = 1;
  RS_INFO("clock");
  EXPECT_GT(rs_thread_state.clock_due, 1U) << "set again by the slow path";
}

}  // namespace
}  // namespace ringside::test
