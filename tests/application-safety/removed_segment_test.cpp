// The segment's file is removed while the service runs: another segment replaces it, and records
// that no consumer can read any more are counted.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/segment_lock.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_locks.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

void log_number(int number) {
  RS_INFO("number %d", number);
}

Values numbers_in(SegmentReader& segment) {
  Values numbers;
  for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
    for (const Record& r : segment.data(i)) numbers.push_back(r.values.at(0));
  }
  return numbers;
}

std::string remove_segment() {
  std::string path = status().segment_path;
  EXPECT_EQ(unlink(path.c_str()), 0);
  return path;
}

// Keeps the file open and holds a consumer's lock, as a consumer that drains it.
class HeldSegment {
 public:
  HeldSegment() : segment(status().segment_path) {
    fd_ = open(status().segment_path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = shm::kConsumerLockByte;
    lock.l_len = 1;
    EXPECT_EQ(fcntl(fd_, F_OFD_SETLK, &lock), 0);
  }
  ~HeldSegment() { die(); }
  HeldSegment(const HeldSegment&) = delete;
  HeldSegment& operator=(const HeldSegment&) = delete;
  void die() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  void drain() {
    for (std::uint32_t i = 0; i < segment.rings_used(); ++i) {
      shm::RingMetadata& ring = segment.ring(i);
      ring.consumer.generation.store(ring.identity.generation.load());
      ring.consumer.consumer_pos.store(ring.producer.producer_pos.load());
    }
  }

  bool service_holds_it() const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = shm::kServiceLockByte;
    lock.l_len = 1;
    return fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  }

  SegmentReader segment;

 private:
  int fd_ = -1;
};

// The library recognises the kernel's frame of a signal handler, in which it replaces nothing, by
// its words.
PROCESS_TEST(RemovedSegment, IsReplacedByAThreadWhoseStackHasWordsOfASignalFrame) {
  for (const std::uint64_t segments : {std::uint64_t{0x33}, std::uint64_t{0x2b} << 48 | 0x33}) {
    const auto text = reinterpret_cast<std::uint64_t>(&remove_segment);
    for (const std::uint64_t address : {std::uint64_t{7}, text}) {
      volatile std::uint64_t words[] = {address, address, 0x246, segments, 0, 0, 0, 0, address};
      log_number(1);
      remove_segment();
      wait_until([] {
        log_number(2);
        return !segments_in(shm_dir()).empty();
      });
      EXPECT_EQ(words[3], segments);
    }
  }
}

PROCESS_TEST(RemovedSegment, UnreadRecordsAreCountedAndTheNextOnesAreTraced) {
  for (int i = 0; i < 5; ++i) log_number(i);
  RS_WARNING("a text %s", "of some bytes");
  const std::string removed = remove_segment();
  const StderrCapture capture;
  EXPECT_EQ(losses(LossCause::no_shared_memory), 6U);
  ASSERT_NE(status().segment_path, removed);
  for (int i = 10; i < 13; ++i) log_number(i);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), (Values{"i32 10", "i32 11", "i32 12"}));
  EXPECT_EQ(segment.control().losses.no_memory.load(), 6U);
  EXPECT_EQ(losses(), 6U);
  EXPECT_EQ(capture.lines().size(), 1U);
  EXPECT_TRUE(is_locked(status().segment_path));
}

PROCESS_TEST(RemovedSegment, FlushIsFalseWhereRecordsAreLost) {
  log_number(1);
  remove_segment();
  EXPECT_FALSE(flush(std::chrono::milliseconds(0)));
  EXPECT_EQ(losses(), 1U);
  EXPECT_TRUE(flush(std::chrono::milliseconds(0))) << "nothing since";
}

PROCESS_TEST(RemovedSegment, NewThreadsNoticeIt) {
  log_number(1);
  remove_segment();
  std::thread([] { log_number(2); }).join();
  EXPECT_EQ(segments_in(shm_dir()).size(), 1U);
  SegmentReader segment(segments_in(shm_dir()).at(0));
  EXPECT_EQ(numbers_in(segment), Values{"i32 2"});
  log_number(3);
  EXPECT_EQ(numbers_in(segment), (Values{"i32 2", "i32 3"})) << "the first thread moves too";
  EXPECT_EQ(losses(), 1U);
}

PROCESS_TEST(RemovedSegment, ConsumerThatHasItContinues) {
  log_number(1);
  HeldSegment held;
  remove_segment();
  EXPECT_EQ(losses(), 0U);
  log_number(2);
  EXPECT_EQ(numbers_in(held.segment), Values{"i32 1"});
  EXPECT_TRUE(held.service_holds_it()) << "not drained yet";
  held.drain();
  EXPECT_EQ(losses(), 0U);
  EXPECT_FALSE(held.service_holds_it()) << "released, so that its trace ends";
  held.die();
  EXPECT_EQ(losses(), 0U);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 2"});
}

PROCESS_TEST(RemovedSegment, WhatADyingConsumerLeavesIsCounted) {
  log_number(1);
  HeldSegment held;
  log_number(2);
  held.drain();
  log_number(3);
  remove_segment();
  EXPECT_EQ(losses(), 0U);
  held.die();
  EXPECT_EQ(losses(), 1U);
  EXPECT_EQ(losses(), 1U);
}

// A thread that has not logged since then keeps its ring; a new statement makes it move.
PROCESS_TEST(RemovedSegment, IdleThreadMovesWithItsNextRecord) {
  std::atomic<int> step{0};
  std::thread idle([&step] {
    log_number(1);
    step = 1;
    wait_until([&step] { return step == 2; });
    log_number(4);
    RS_WARNING("not known to the removed segment: %d", 5);
  });
  wait_until([&step] { return step == 1; });
  log_number(2);
  remove_segment();
  EXPECT_EQ(losses(), 2U);
  log_number(3);
  step = 2;
  idle.join();
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), (Values{"i32 3", "i32 4", "i32 5"}));
  EXPECT_EQ(losses(), 2U);
}

PROCESS_TEST(RemovedSegment, SeveralTimesInALife) {
  for (int round = 0; round < 3; ++round) {
    log_number(round);
    const std::string removed = remove_segment();
    wait_until([&removed] { return status().segment_path != removed; });
  }
  log_number(3);
  EXPECT_EQ(losses(), 3U);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 3"});
}

PROCESS_TEST(RemovedSegment, ChildHoldsNothingOfIt) {
  log_number(1);
  HeldSegment held;
  remove_segment();
  log_number(2);
  EXPECT_EQ(losses(), 0U);
  EXPECT_EQ(run_child([] {
              log_number(7);
              EXPECT_EQ(losses(), 0U);
              SegmentReader segment(status().segment_path);
              EXPECT_EQ(numbers_in(segment), Values{"i32 7"});
            }),
            0);
  EXPECT_TRUE(held.service_holds_it());
}

PROCESS_TEST(RemovedSegment, SwitchesAndLevelsStay) {
  setenv("RINGSIDE_LEVEL", "warning", 1);
  RS_INFO("off");
  log_number(1);
  RS_WARNING("on %d", 1);
  remove_segment();
  EXPECT_EQ(losses(), 1U);
  RS_WARNING("on %d", 2);
  log_number(2);
  SegmentReader segment(status().segment_path);
  EXPECT_EQ(numbers_in(segment), Values{"i32 2"});
}

}  // namespace
}  // namespace ringside::test
