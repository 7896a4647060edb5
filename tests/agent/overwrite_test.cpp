// Rings that are overwritten: the newest records remain, whole and numbered exactly.

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/time.h>

#include "libagent/include/ringside/context.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"

namespace ringside::test {
namespace {

const std::uint64_t kRing = tested_ring_bytes();
// Of the 32 sub-buffers of a ring, two are kept free, and one is released at a time.
const std::uint64_t kKept = kRing / shm::kSubBuffersPerRing * 29;

void overwritten_ring(const char* threads = "8") {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kRing).c_str(), 1);
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  setenv("RINGSIDE_MAX_THREADS", threads, 1);
}

struct Kept {
  shm::OldestRecords oldest;
  std::uint64_t bytes = 0;
  std::vector<Record> data;
  std::uint64_t dropped = 0;  // reported by marks that are still in the ring
};

Kept kept(std::uint32_t index = 0) {
  SegmentReader& segment = own_segment();
  const shm::ProducerLine& line = segment.ring(index).producer;
  Kept kept;
  kept.oldest = shm::load_oldest(line.oldest).value();
  const std::uint64_t end = line.producer_pos.load(std::memory_order_acquire);
  kept.bytes = end - kept.oldest.pos;
  const std::vector<Record> records = segment.records(index, kept.oldest.pos, end);
  EXPECT_TRUE(records.empty() || records[0].code == shm::kCodeClock);
  for (const Record& r : records) {
    if (r.is_data()) kept.data.push_back(r);
    if (r.code == shm::kCodeDrop) kept.dropped += r.words[0];
  }
  return kept;
}

// Numbers start at 0; every third record has a text.
void log_number(std::uint64_t i) {
  if (i % 3 == 0) {
    RS_INFO("%lu %s %d", i, std::string(i % 50, 'x').c_str(), 7);
  } else {
    RS_INFO("%lu %u", i, static_cast<std::uint32_t>(i * 7));
  }
}

void expect_numbered_from_oldest(const Kept& kept, std::uint64_t logged) {
  ASSERT_EQ(kept.oldest.sequence + kept.data.size(), logged);
  for (std::size_t i = 0; i < kept.data.size(); ++i) {
    ASSERT_EQ(kept.data[i].values[0], "u64 " + std::to_string(kept.oldest.sequence + i));
  }
}

// Contexts are larger than these records, and come at all distances from a sub-buffer's end.
PROCESS_TEST(Overwrite, ContextsEndWithinTheirSubBuffer) {
  overwritten_ring();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    if (i % 3 == 0) RS_INFO("8 bytes");
    const Context context{{"user", i}, {"tenant", "acme"}};
    RS_INFO("8 bytes");
  }
  SegmentReader& segment = own_segment();
  const shm::ProducerLine& line = segment.ring(0).producer;
  const std::uint64_t from = shm::load_oldest(line.oldest).value().pos;
  std::uint64_t sub_buffer_end = 0;
  std::uint64_t sub_buffers = 0;
  for (const Record& r : segment.records(0, from, line.producer_pos.load())) {
    if (r.code == shm::kCodeClock) {
      sub_buffer_end = r.pos + kRing / shm::kSubBuffersPerRing;
      ++sub_buffers;
    }
    EXPECT_LE(r.pos + r.bytes, sub_buffer_end);
  }
  EXPECT_GT(sub_buffers, 20U);
}

PROCESS_TEST(Overwrite, TheNewestRecordsStayAndTheOldestAreCounted) {
  overwritten_ring();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    log_number(i);
    if (i % 997 == 0) expect_numbered_from_oldest(kept(), i + 1);
  }
  const Kept end = kept();
  expect_numbered_from_oldest(end, 20'000);
  EXPECT_GE(end.bytes, kKept);
  EXPECT_LE(end.bytes, kRing);
  EXPECT_EQ(end.oldest.drops, 0U);
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(own_segment().header().sub_buffer_bytes, kRing / shm::kSubBuffersPerRing);
}

PROCESS_TEST(Overwrite, NothingIsReleasedBeforeTheRingIsFull) {
  overwritten_ring();
  const std::uint64_t logged = kRing / 64;  // of less than 60 bytes each, clock records included
  for (std::uint64_t i = 0; i < logged; ++i) log_number(i);
  const Kept all = kept();
  EXPECT_EQ(all.oldest, shm::OldestRecords{});
  expect_numbered_from_oldest(all, logged);
}

PROCESS_TEST(Overwrite, RecordsLargerThanASubBufferFit) {
  overwritten_ring();
  const std::string large(kRing / 4 - 100, 'l');
  const std::string too_large(kRing, 't');
  for (std::uint64_t i = 0; i < 500; ++i) {
    RS_INFO("%lu %s", i, i % 7 == 0 ? large.c_str() : i % 11 == 0 ? too_large.c_str() : "small");
  }
  const Kept end = kept();
  std::uint64_t records = 0;
  SegmentReader& segment = own_segment();
  for (const Record& r :
       segment.records(0, end.oldest.pos, segment.ring(0).producer.producer_pos.load())) {
    if (r.is_data()) ++records;
  }
  EXPECT_EQ(end.oldest.sequence + records, 500U);
  EXPECT_EQ(status().dropped, 0U);
}

PROCESS_TEST(Overwrite, FlushFailsAtOnceBecauseNothingReachesAFile) {
  overwritten_ring();
  log_number(0);
  EXPECT_FALSE(flush(std::chrono::hours(1)));
}

volatile std::sig_atomic_t g_handled = 0;

void log_in_handler(int) {
  RS_INFO("handler %d", static_cast<int>(g_handled));
  g_handled = g_handled + 1;
}

// Handlers interrupt the slow path, also while it releases a sub-buffer. All numbers stay exact.
PROCESS_TEST(Overwrite, CountsAreExactUnderATimer) {
  overwritten_ring();
  struct sigaction action {};
  action.sa_handler = log_in_handler;
  sigaction(SIGALRM, &action, nullptr);
  itimerval every{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &every, nullptr);
  std::uint64_t logged = 0;
  while (g_handled < 5'000) log_number(logged++);
  every = {};
  setitimer(ITIMER_REAL, &every, nullptr);
  signal(SIGALRM, SIG_IGN);
  log_number(logged++);
  const Kept end = kept();
  const std::uint64_t numbers = end.oldest.sequence + end.data.size() + end.dropped;
  EXPECT_EQ(numbers, logged + static_cast<std::uint64_t>(g_handled));
  EXPECT_EQ(end.oldest.drops + end.dropped, status().dropped);
  std::uint64_t next = 0;
  for (const Record& r : end.data) {
    if (r.values.size() < 2) continue;  // the handler's
    const std::uint64_t number = std::stoull(r.values[0].substr(4));
    if (next != 0) {
      EXPECT_EQ(number, next);
    }
    next = number + 1;
  }
  EXPECT_EQ(next, logged);
}

// A handler that logs more than a ring holds, within one log call, must not overwrite the record
// that it interrupted, here between its reservation and its first byte.
PROCESS_TEST(Overwrite, AHandlerCannotOverwriteTheRecordThatItInterrupted) {
  overwritten_ring();
  for (std::uint64_t i = 0; i < 5'000; ++i) log_number(i);
  RS_INFO("%lu outer", 0UL);
  const std::uint32_t id = own_segment().site("%lu outer").id;
  std::uint64_t tsc = 0;
  const std::uint64_t start = rs_reserve(RS_SWITCH_ON, 16, &tsc);
  ASSERT_LT(start, RS_DROPPED);
  in_handler([] {
    for (int i = 0; i < 20'000; ++i) RS_INFO("nested %d", i);
  });
  const std::uint64_t words[2] = {shm::make_head(tsc, id), 1};
  std::memcpy(rs_place(start), words, sizeof words);
  rs_publish(start, 16);
  const Kept between = kept();
  RS_INFO("%lu after", 2UL);
  const Kept end = kept();
  EXPECT_EQ(end.oldest.sequence + end.data.size() + end.dropped, 5'000U + 20'000U + 3U);
  EXPECT_GT(status().dropped, 0U) << "records that did not fit after the interrupted one";
  bool is_there = false;
  for (const Record& r : between.data) is_there = is_there || (r.pos == start && r.code == id);
  EXPECT_TRUE(is_there);
  EXPECT_EQ(end.data.back().values[0], "u64 2");
}

PROCESS_TEST(Overwrite, AnEndedThreadKeepsItsRingUntilNoOtherIsLeft) {
  overwritten_ring("3");
  const auto log_by_thread = [](std::uint64_t records) {
    std::thread thread([records] {
      for (std::uint64_t i = 0; i < records; ++i) log_number(i);
    });
    thread.join();
  };
  for (std::uint64_t t = 0; t < 3; ++t) log_by_thread(10 + t);
  EXPECT_EQ(own_segment().rings_used(), 3U);
  for (std::uint32_t t = 0; t < 3; ++t) expect_numbered_from_oldest(kept(t), 10 + t);
  const shm::ServiceLine& line = own_segment().control().service;
  EXPECT_EQ(line.overwritten_streams_lost.load(), 0U);
  log_by_thread(5'000);
  log_by_thread(20);
  EXPECT_EQ(line.overwritten_streams_lost.load(), 10U + 11U) << "of the first two";
  expect_numbered_from_oldest(kept(0), 5'000);
  expect_numbered_from_oldest(kept(1), 20);
  expect_numbered_from_oldest(kept(2), 12);
  EXPECT_EQ(status().refused, 0U);
  log_by_thread(1);
  log_by_thread(1);
  EXPECT_EQ(line.overwritten_streams_lost.load(), 10U + 11U + 12U + 5'000U);
}

// Another process overwrites the ring: its content is lost, but the thread keeps logging.
PROCESS_TEST(Overwrite, AThreadKeepsLoggingAfterItsRingIsScribbledOn) {
  overwritten_ring();
  for (std::uint64_t i = 0; i < 3'000; ++i) log_number(i);
  const SegmentReader& segment = own_segment();
  const int fd = open(status().segment_path.c_str(), O_RDWR | O_CLOEXEC);
  const std::string garbage(kRing, '\xA5');
  ASSERT_EQ(
      pwrite(fd, garbage.data(), garbage.size(), static_cast<off_t>(segment.layout().rings_offset)),
      static_cast<ssize_t>(kRing));
  close(fd);
  for (std::uint64_t i = 0; i < 30'000; ++i) log_number(i);
  const Kept end = kept();
  EXPECT_GE(end.bytes, kKept);
  ASSERT_FALSE(end.data.empty());
  EXPECT_EQ(end.data.back().values[0], "u64 29999");
}

}  // namespace
}  // namespace ringside::test
