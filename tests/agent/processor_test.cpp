// The processor in clock records: that of the thread's last check, which every slow path makes.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "libagent/include/ringside/ringside.h"
#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/overwrite_words.hpp"
#include "tests/agent/pinned_thread.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

constexpr const char* kNever = "3600000";  // not within a test
constexpr const char* kAtEachRecord = "0";

void check_after(const char* interval_ms, const char* policy = "drop") {
  setenv("RINGSIDE_PROCESSOR_INTERVAL_MS", interval_ms, 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  setenv("RINGSIDE_OVERFLOW", policy, 1);
}

// "clock N", "clock ?" without a processor, and "record" for the others.
std::string text_of(const Record& r) {
  if (r.code != shm::kCodeClock) return "record";
  const std::uint32_t code = shm::clock_processor(shm::make_head(r.tsc, r.code), r.words[0]);
  return code == 0 ? "clock ?" : "clock " + std::to_string(code - 1);
}

std::vector<std::string> texts(SegmentReader& segment, std::uint32_t ring) {
  std::vector<std::string> texts;
  for (const Record& r : segment.records(ring)) texts.push_back(text_of(r));
  return texts;
}

std::string clock_of(std::uint32_t processor) {
  return "clock " + std::to_string(processor);
}

using Texts = std::vector<std::string>;

// Two processors, on the first of which the caller runs. Ends the test without them.
#define NEED_TWO_PROCESSORS(first_, second_)                                      \
  const std::vector<std::uint32_t> allowed = allowed_processors();                \
  if (allowed.size() < 2) GTEST_SKIP() << "needs two processors";                 \
  [[maybe_unused]] const std::uint32_t first_ = allowed[0], second_ = allowed[1]; \
  ASSERT_TRUE(run_on(first_))

PROCESS_TEST(Processor, IsStatedBeforeTheFirstRecord) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kNever);
  ASSERT_TRUE(run_on(second));
  RS_INFO("one");
  RS_INFO("two");
  EXPECT_EQ(texts(own_segment(), 0), (Texts{clock_of(second), "record", "record"}));
}

PROCESS_TEST(Processor, OfEachThreadIsItsOwn) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kNever);
  RS_INFO("one");
  std::thread([processor = second] {
    ASSERT_TRUE(run_on(processor));
    RS_INFO("two");
  }).join();
  EXPECT_EQ(texts(own_segment(), 0), (Texts{clock_of(first), "record"}));
  EXPECT_EQ(texts(own_segment(), 1), (Texts{clock_of(second), "record"}));
}

PROCESS_TEST(Processor, AMoveIsFoundByTheNextRecordIfEachOneChecks) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kAtEachRecord);
  RS_INFO("one");
  RS_INFO("two");
  ASSERT_TRUE(run_on(second));
  RS_INFO("three");
  RS_INFO("four");
  ASSERT_TRUE(run_on(first));
  RS_INFO("five");
  EXPECT_EQ(texts(own_segment(), 0), (Texts{clock_of(first), "record", "record", clock_of(second),
                                            "record", "record", clock_of(first), "record"}));
}

PROCESS_TEST(Processor, AMoveIsFoundAtTheEndOfTheLapAtTheLatest) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kNever);
  Texts found;
  std::uint64_t moved_at = 0;
  std::uint64_t found_at = 0;
  preallocate();
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& r) {
    if (r.code != shm::kCodeClock) return;
    if (found.empty() || found.back() != text_of(r)) {
      found.push_back(text_of(r));
      found_at = r.pos;
    }
  });
  for (int i = 0; i < 100; ++i) RS_INFO("%d", i);
  ASSERT_TRUE(run_on(second));
  moved_at = own_segment().ring(0).producer.producer_pos.load();
  RS_INFO("still unnoticed");
  EXPECT_EQ(texts(own_segment(), 0).back(), "record");
  for (int i = 0; i < 10'000; ++i) {
    RS_INFO("%d", i);
    if (i % 1000 == 0) consumer.poll();
  }
  consumer.poll();
  EXPECT_EQ(found, (Texts{clock_of(first), clock_of(second)}));
  EXPECT_GT(found_at, moved_at);
  EXPECT_LE(found_at, moved_at + 65536 + shm::kClockRecordBytes);
}

PROCESS_TEST(Processor, OpensEachSubBufferOfARingThatIsOverwritten) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kNever, "overwrite");
  for (int i = 0; i < 50'000; ++i) RS_INFO("%d", i);
  ASSERT_TRUE(run_on(second));
  for (int i = 0; i < 2'000; ++i) RS_INFO("%d", i);
  const shm::ProducerLine& line = own_segment().ring(0).producer;
  const std::uint64_t begin = shm::load_oldest(line.oldest).value().pos;
  const std::vector<Record> records =
      own_segment().records(0, begin, line.producer_pos.load(std::memory_order_acquire));
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(text_of(records.front()), clock_of(first)) << "the oldest records are of the first";
  Texts clocks;
  for (const Record& r : records) {
    if (r.code == shm::kCodeClock) clocks.push_back(text_of(r));
  }
  EXPECT_EQ(clocks.back(), clock_of(second));
  EXPECT_GT(clocks.size(), 20U);
}

PROCESS_TEST(Processor, AMoveInARingThatIsOverwrittenOpensASubBuffer) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kAtEachRecord, "overwrite");
  std::uint64_t logged = 0;
  for (int move = 0; move < 1'500; ++move) {
    ASSERT_TRUE(run_on(move % 2 == 0 ? second : first));
    RS_INFO("%lu", static_cast<unsigned long>(logged++));
  }
  const shm::ProducerLine& line = own_segment().ring(0).producer;
  const shm::OldestRecords oldest = shm::load_oldest(line.oldest).value();
  const std::vector<Record> records =
      own_segment().records(0, oldest.pos, line.producer_pos.load(std::memory_order_acquire));
  std::uint64_t number = oldest.sequence;
  std::string processor;
  for (const Record& r : records) {
    if (r.code == shm::kCodeClock) {
      processor = text_of(r);
      continue;
    }
    ASSERT_EQ(r.values, Texts{"u64 " + std::to_string(number)});
    ASSERT_EQ(processor, clock_of(number % 2 == 0 ? second : first)) << number;
    ++number;
  }
  EXPECT_EQ(number, logged);
  EXPECT_LT(oldest.sequence, logged - 500);
}

PROCESS_TEST(Processor, OfAChildIsStatedInItsOwnSegment) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kNever);
  RS_INFO("parent");
  EXPECT_EQ(run_child([processor = second] {
              ASSERT_TRUE(run_on(processor));
              RS_INFO("child");
              SegmentReader segment(status().segment_path);
              EXPECT_EQ(texts(segment, 0), (Texts{clock_of(processor), "record"}));
            }),
            0);
  RS_INFO("parent again");
  EXPECT_EQ(texts(own_segment(), 0), (Texts{clock_of(first), "record", "record"}));
}

PROCESS_TEST(Processor, OfRecordsWithoutATimeIsStatedToo) {
  NEED_TWO_PROCESSORS(first, second);
  setenv("RINGSIDE_CLOCK", "consumer", 1);
  check_after(kNever);
  RS_INFO("one");
  EXPECT_EQ(texts(own_segment(), 0), (Texts{clock_of(first), "record"}));
}

PROCESS_TEST(Processor, IsLeftOutOnRequest) {
  NEED_TWO_PROCESSORS(first, second);
  check_after("off");
  RS_INFO("one");
  ASSERT_TRUE(run_on(second));
  RS_INFO("two");
  EXPECT_EQ(texts(own_segment(), 0), (Texts{"clock ?", "record", "record"}));
}

PROCESS_TEST(Processor, OptionsChooseTheInterval) {
  NEED_TWO_PROCESSORS(first, second);
  unsetenv("RINGSIDE_PROCESSOR_INTERVAL_MS");
  Options options;
  options.processor_interval = std::chrono::milliseconds(0);
  ASSERT_EQ(init(options).state, State::live);
  RS_INFO("one");
  ASSERT_TRUE(run_on(second));
  RS_INFO("two");
  EXPECT_EQ(texts(own_segment(), 0),
            (Texts{clock_of(first), "record", clock_of(second), "record"}));
}

PROCESS_TEST(Processor, OptionsOfCChooseTheInterval) {
  NEED_TWO_PROCESSORS(first, second);
  unsetenv("RINGSIDE_PROCESSOR_INTERVAL_MS");
  rs_options options{};
  options.struct_bytes = sizeof options;
  options.processor_interval_ms = -1;
  ASSERT_EQ(rs_init_with(&options), 1);
  RS_INFO("one");
  EXPECT_EQ(texts(own_segment(), 0), (Texts{"clock ?", "record"}));
}

PROCESS_TEST(Processor, AMoveThatFindsNoSpaceIsStatedBeforeTheNextRecord) {
  NEED_TWO_PROCESSORS(first, second);
  check_after(kAtEachRecord);
  preallocate();
  while (status().dropped == 0) RS_INFO("eight bytes");
  ASSERT_TRUE(run_on(second));
  RS_INFO("eight bytes");
  EXPECT_EQ(status().dropped, 2U);
  Texts found;
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& r) {
    if (r.code != shm::kCodeDrop) found.push_back(text_of(r));
  });
  consumer.poll();
  EXPECT_EQ(std::count(found.begin(), found.end(), clock_of(second)), 0);
  found.clear();
  RS_INFO("eight bytes");
  consumer.poll();
  EXPECT_EQ(found, (Texts{clock_of(second), "record"}));
}

}  // namespace
}  // namespace ringside::test
