// How often a thread waits for space in its ring, and for how much.

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libagent/include/ringside/ringside.hpp"
#include "shm-layout/control_page.hpp"
#include "shm-layout/record_head.hpp"
#include "shm-layout/segment_lock.hpp"
#include "shm-layout/space_word.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

const std::uint64_t kRingBytes = tested_ring_bytes();

void block_for(const char* timeout_ms) {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kRingBytes).c_str(), 1);
  setenv("RINGSIDE_OVERFLOW", "block", 1);
  setenv("RINGSIDE_BLOCK_TIMEOUT_MS", timeout_ms, 1);
}

shm::RingMetadata& blocked_ring() {
  return own_segment().ring(0);
}

// Records of 16 bytes until the next one does not fit.
void fill_ring() {
  preallocate();
  const std::uint64_t end = blocked_ring().consumer.consumer_pos.load() + kRingBytes;
  while (blocked_ring().producer.producer_pos.load() + 16 <= end) RS_INFO("%ld", 1L);
}

// As a live consumer: to the kernel, another open file is another owner.
void hold_consumer_lock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = shm::kConsumerLockByte;
  lock.l_len = 1;
  const int fd = open(status().segment_path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
}

PROCESS_TEST(BlockWait, AFailedWaitIsRememberedWhateverTheConsumersPosition) {
  setenv("RINGSIDE_LIVE_CONSUMER_TIMEOUT_MS", "100", 1);
  block_for("1");
  fill_ring();
  blocked_ring().consumer.consumer_pos.store(blocked_ring().producer.producer_pos.load());
  fill_ring();
  hold_consumer_lock();
  const shm::CountersLine& counters = blocked_ring().counters;
  const std::uint64_t waits = counters.blocked_count.load();
  const std::uint64_t dropped = counters.dropped_total.load();
  for (int i = 0; i < 20; ++i) {
    RS_INFO("%ld %ld %ld %ld", 1L, 2L, 3L, 4L);
    // The consumer polls, but does not reach this ring.
    own_segment().control().consumer.heartbeat.fetch_add(1);
  }
  EXPECT_EQ(counters.blocked_count.load(), waits + 1);
  EXPECT_EQ(counters.dropped_total.load(), dropped + 20);
}

PROCESS_TEST(BlockWait, EndsAsSoonAsTheRecordFitsExactly) {
  block_for("60000");
  preallocate();
  RS_INFO("8 bytes");
  fill_ring();
  ASSERT_EQ(blocked_ring().producer.producer_pos.load(), kRingBytes);
  shm::RingMetadata& full = blocked_ring();
  // First for the clock record of the next lap, then for the record.
  constexpr std::uint64_t kClockEnd = shm::kClockRecordBytes;
  std::thread consumer([&full] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    full.consumer.consumer_pos.store(kClockEnd);
    wait_until([&full] { return full.producer.producer_pos.load() == kRingBytes + kClockEnd; });
    full.consumer.consumer_pos.store(kClockEnd + 16);
  });
  RS_INFO("%ld", 2L);
  consumer.join();
  EXPECT_EQ(full.counters.dropped_total.load(), 0U);
  EXPECT_EQ(full.producer.producer_pos.load(), kRingBytes + kClockEnd + 16);
}

long wake(std::atomic<std::uint32_t>& word) {
  return syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

PROCESS_TEST(BlockWait, SleepsOnTheWordOfItsRing) {
  block_for("60000");
  fill_ring();
  shm::RingMetadata& full = blocked_ring();
  std::atomic<std::uint32_t>& word = full.identity.space_word;
  EXPECT_EQ(word.load(), 0U);
  std::thread consumer([&full, &word] {
    // The kernel counts the sleepers that it wakes. Without space, the thread sleeps again.
    wait_until([&word] { return shm::waits_for_space(word.load()) && wake(word) == 1; });
    const std::uint32_t first = word.load();
    wait_until([&word, first] {
      const std::uint32_t now = word.load();
      return now > first && shm::waits_for_space(now);
    });
    full.consumer.consumer_pos.store(full.producer.producer_pos.load());
    word.fetch_add(1);
    wake(word);
  });
  RS_INFO("%ld", 2L);
  consumer.join();
  EXPECT_EQ(full.counters.dropped_total.load(), 0U);
  EXPECT_FALSE(shm::waits_for_space(word.load()));
}

// For the calling thread.
bool refuse_futex() {
  sock_filter filter[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_futex},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

PROCESS_TEST(BlockWait, LooksOnItsOwnIfAFilterRefusesTheSleep) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "sanitizers make such calls";
  block_for("60000");
  std::atomic<bool> is_full{false};
  int kept_errno = 0;
  // Not the thread that joins: glibc ends a process whose filter refuses that.
  std::thread logger([&] {
    fill_ring();
    ASSERT_TRUE(refuse_futex());
    is_full.store(true);
    errno = 77;
    RS_INFO("%ld", 2L);
    kept_errno = errno;
  });
  wait_until([&is_full] { return is_full.load(); });
  shm::RingMetadata& full = blocked_ring();
  // Without the call, a wait leaves its word even and does not return to it.
  wait_until([&full] { return full.identity.space_word.load() >= 2; });
  full.consumer.consumer_pos.store(full.producer.producer_pos.load());
  logger.join();
  EXPECT_EQ(kept_errno, 77);
  EXPECT_EQ(full.counters.dropped_total.load(), 0U);
  EXPECT_EQ(full.identity.space_word.load(), 2U);
}

}  // namespace
}  // namespace ringside::test
