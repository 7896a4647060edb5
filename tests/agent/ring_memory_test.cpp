// The memory of a ring that is drained: it begins small, grows with the records, and becomes small
// again if it is filled slowly.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/small_directory.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kRingBytes = 1U << 20;
constexpr std::uint64_t kRecordBytes = 16;

std::uint64_t page_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t first_part() {
  return std::max<std::uint64_t>(16U << 10, 2 * page_bytes());
}

// Of a ring that is filled slowly, at most.
std::uint64_t small_bytes() {
  return std::max<std::uint64_t>(80U << 10, 5 * page_bytes());
}

void log_number(std::int64_t number) {
  RS_INFO("number %ld of a ring", static_cast<long>(number));
}

// Bytes of the ring that have memory in the file.
std::uint64_t memory_of_ring(std::uint32_t index) {
  const int fd = open(status().segment_path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto begin = static_cast<off_t>(own_segment().layout().rings_offset + index * kRingBytes);
  const off_t end = begin + static_cast<off_t>(kRingBytes);
  std::uint64_t bytes = 0;
  for (off_t at = begin; at < end;) {
    const off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0 || data >= end) break;
    at = std::min(lseek(fd, data, SEEK_HOLE), end);
    bytes += static_cast<std::uint64_t>(at - data);
  }
  close(fd);
  return bytes;
}

// A consumer of the numbers that the only thread logs; they must come in order, without a gap.
class Numbers {
 public:
  Numbers()
      : consumer_(own_segment(), [this](std::uint32_t, const Record& record) {
          if (!record.is_data()) return;
          if (record.values[0] != "i64 " + std::to_string(next_)) ++wrong_;
          ++next_;
        }) {}
  TestConsumer& consumer() { return consumer_; }
  std::int64_t next() const { return next_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  std::int64_t next_ = 0;
  std::uint64_t wrong_ = 0;
  TestConsumer consumer_;
};

// A log call at the time `tsc`, which takes the slow path.
void log_at(std::uint64_t tsc, std::int64_t number, std::uint64_t site_id) {
  rs_thread& t = rs_thread_state;
  const std::uint64_t reserved =
      rs_reserve_slow(rs_fetch_add_local(&t.pos, kRecordBytes), kRecordBytes, tsc);
  ASSERT_LT(reserved, RS_DROPPED);
  const std::uint64_t head = tsc << RS_HEAD_ID_BITS | site_id;
  std::memcpy(rs_place(reserved), &head, sizeof head);
  std::memcpy(rs_place(reserved) + sizeof head, &number, sizeof number);
  rs_publish(reserved, kRecordBytes);
}

// Makes madvise() fail as a kernel before 5.14 does that does not know the advice.
bool forget_populate_write() {
  constexpr std::uint32_t kPopulateWrite = 23;
  sock_filter filter[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_madvise},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args[2])},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, kPopulateWrite},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EINVAL},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void fill_a_ring_and_log_three_more() {
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  std::int64_t number = 0;
  log_number(number++);
  EXPECT_EQ(memory_of_ring(0), first_part());
  while (status().dropped == 0) log_number(number++);
  EXPECT_EQ(memory_of_ring(0), kRingBytes);
  const auto& ring = own_segment().ring(0);
  EXPECT_GT(ring.producer.producer_pos.load() + 2 * kRecordBytes, kRingBytes)
      << "without a consumer, the whole ring is used";
  Numbers numbers;
  numbers.consumer().poll();
  EXPECT_EQ(numbers.next(), number - 1) << "the last one was dropped";
  // The next rounds begin anywhere in the ring.
  for (std::int64_t i = number - 1; i < 4 * number; ++i) {
    log_number(i);
    if (i % 10'000 == 0) numbers.consumer().poll();
  }
  numbers.consumer().poll();
  EXPECT_EQ(numbers.next(), 4 * number);
  EXPECT_EQ(numbers.wrong(), 0U);
  EXPECT_EQ(status().dropped, 1U);
}

PROCESS_TEST(RingMemory, GrowsFromAPartToTheWholeRingWithoutALoss) {
  fill_a_ring_and_log_three_more();
}

PROCESS_TEST(RingMemory, GrowsOnAKernelThatCannotPopulate) {
  if (!forget_populate_write()) GTEST_SKIP() << "no seccomp filter can be installed here";
  fill_a_ring_and_log_three_more();
}

PROCESS_TEST(RingMemory, RingsSmallerThanAPageAreRefused) {
  setenv("RINGSIDE_RING_BYTES", "4096", 1);
  log_number(0);
  EXPECT_EQ(status().state == State::live, page_bytes() == 4096);
  EXPECT_EQ(status().message.find("RINGSIDE_RING_BYTES") == std::string::npos,
            page_bytes() == 4096);
}

PROCESS_TEST(RingMemory, ALargeRecordGetsSeveralPartsAtOnce) {
  const std::string text(200'000, 't');
  RS_INFO("%s", text.c_str());
  const std::vector<Record> records = own_segment().data(0);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].values[0], "string " + text);
  EXPECT_FALSE(records[0].is_cut());
}

PROCESS_TEST(RingMemory, PreallocatedRingIsWholeAndStaysSo) {
  EXPECT_TRUE(preallocate());
  EXPECT_EQ(memory_of_ring(0), kRingBytes);
}

PROCESS_TEST(RingMemory, RingThatIsOverwrittenIsWhole) {
  setenv("RINGSIDE_OVERFLOW", "overwrite", 1);
  log_number(0);
  EXPECT_EQ(memory_of_ring(0), kRingBytes);
}

PROCESS_TEST(RingMemory, RingThatIsFilledSlowlyStaysSmall) {
  log_number(0);
  const std::uint64_t id = own_segment().site("number %ld of a ring").id;
  const std::uint64_t tick_10ms = own_segment().header().tsc_frequency_hz / 100;
  Numbers numbers;
  std::uint64_t tsc = rs_clock();
  std::int64_t number = 1;
  // Three rounds of the ring, at 1.6 kB/s.
  while (own_segment().ring(0).producer.producer_pos.load() < 3 * kRingBytes) {
    log_at(tsc += tick_10ms, number++, id);
    if (number % 100 == 0) numbers.consumer().poll();
    if (number % 1000 != 0) continue;
    ASSERT_LE(memory_of_ring(0), small_bytes()) << number;
  }
  numbers.consumer().poll();
  EXPECT_EQ(numbers.next(), number);
  EXPECT_EQ(numbers.wrong(), 0U);
}

PROCESS_TEST(RingMemory, WholeRingBecomesSmallAfterASlowRound) {
  std::int64_t number = 0;
  log_number(number++);
  const shm::RingMetadata& ring = own_segment().ring(0);
  Numbers numbers;
  while (ring.producer.producer_pos.load() < kRingBytes + 1000) {
    log_number(number++);
    if (number % 10'000 == 0) numbers.consumer().poll();
  }
  ASSERT_EQ(memory_of_ring(0), kRingBytes);
  const std::uint64_t id = own_segment().site("number %ld of a ring").id;
  const std::uint64_t tick_10ms = own_segment().header().tsc_frequency_hz / 100;
  std::uint64_t tsc = rs_clock();
  while (ring.producer.producer_pos.load() < 3 * kRingBytes) {
    numbers.consumer().poll();  // so that the lap begins with an empty ring
    log_at(tsc += tick_10ms, number++, id);
  }
  EXPECT_LE(memory_of_ring(0), small_bytes());
  numbers.consumer().poll();
  EXPECT_EQ(numbers.next(), number);
  EXPECT_EQ(numbers.wrong(), 0U);
}

PROCESS_TEST(RingMemory, RefusedMemoryIsUsedAgainAndCounted) {
  SMALL_DIRECTORY(dir, "64m");
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  log_number(0);
  dir.fill_up(0);
  std::int64_t number = 1;
  while (status().dropped == 0) log_number(number++);
  EXPECT_LE(memory_of_ring(0), first_part());
  EXPECT_NE(status().message.find("no memory for more of a ring"), std::string::npos)
      << status().message;
  --number;
  Numbers numbers;
  numbers.consumer().poll();
  EXPECT_EQ(numbers.next(), number);
  // Drained parts become the next ones: with a consumer nothing more is lost.
  const std::int64_t end = number + 200'000;
  for (; number < end; ++number) {
    log_number(number);
    if (number % 300 == 0) numbers.consumer().poll();
  }
  EXPECT_EQ(status().dropped, 1U);
  EXPECT_LE(memory_of_ring(0), first_part());
  dir.make_room();
  usleep(150'000);  // no sooner is memory asked for again
  for (; number < end + 70'000; ++number) {
    log_number(number);
    if (number % 300 == 0) numbers.consumer().poll();
  }
  numbers.consumer().poll();
  EXPECT_EQ(status().dropped, 1U);
  EXPECT_EQ(memory_of_ring(0), kRingBytes);
  EXPECT_EQ(status().message, "");
  EXPECT_EQ(numbers.next(), number);
  EXPECT_EQ(numbers.wrong(), 0U);
}

PROCESS_TEST(RingMemory, WaitsForTheConsumerWhenMemoryIsRefused) {
  SMALL_DIRECTORY(dir, "64m");
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "60000", 1);
  log_number(0);
  dir.fill_up(0);
  Numbers numbers;
  numbers.consumer().start([] { usleep(500); });
  for (std::int64_t number = 1; number < 100'000; ++number) log_number(number);
  numbers.consumer().stop();
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(numbers.next(), 100'000);
  EXPECT_EQ(numbers.wrong(), 0U);
}

std::int64_t g_handled = 0;

// Handlers interrupt log calls, and also the growth.
PROCESS_TEST(RingMemory, GrowsWhileSignalHandlersLog) {
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", "60000", 1);
  log_number(0);
  std::uint64_t outside = 0;
  std::uint64_t inside = 0;
  const std::uint32_t site = own_segment().site("number %ld of a ring").id;
  TestConsumer consumer(own_segment(), [&](std::uint32_t, const Record& record) {
    if (!record.is_data()) return;
    const std::uint64_t expected = record.code == site ? outside++ : inside++;
    EXPECT_EQ(record.values[0], "i64 " + std::to_string(expected));
  });
  struct sigaction action {};
  action.sa_handler = [](int) {
    for (int i = 0; i < 40; ++i) RS_INFO("in a handler %ld", static_cast<long>(g_handled++));
  };
  sigaction(SIGALRM, &action, nullptr);
  consumer.start([] { usleep(2000); });
  const itimerval often{{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
  constexpr std::int64_t kRecords = 300'000;
  for (std::int64_t number = 1; number < kRecords; ++number) log_number(number);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  consumer.stop();
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(outside, static_cast<std::uint64_t>(kRecords));
  EXPECT_EQ(inside, static_cast<std::uint64_t>(g_handled));
}

// 10,000 threads in 1 GiB: a tenth of each. Only what a thread adds is counted.
PROCESS_TEST(RingMemory, ManyIdleThreadsNeedLittle) {
  constexpr std::uint32_t kThreads = 1000;
  constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 30) / 10;
  setenv("RINGSIDE_MAX_THREADS", std::to_string(kThreads + 1).c_str(), 1);
  log_number(0);
  int end[2];
  ASSERT_EQ(pipe(end), 0);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&end] {
      log_number(0);
      char byte = 0;
      static_cast<void>(!read(end[0], &byte, 1));
    });
  }
  wait_until([] { return own_segment().rings_used() == kThreads + 1; });
  struct stat info {};
  ASSERT_EQ(stat(status().segment_path.c_str(), &info), 0);
  const std::uint64_t file_bytes = static_cast<std::uint64_t>(info.st_blocks) * 512;
  EXPECT_LE(file_bytes, kMostBytes / 4);
  EXPECT_EQ(status().refused, 0U);
  close(end[1]);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ringside::test
