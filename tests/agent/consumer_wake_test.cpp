// Log calls that wake a sleeping consumer, and those that must not.

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kRing = 64U << 10;
constexpr std::uint64_t kPart = kRing / shm::kWakeUpParts;

void use_small_rings(const char* policy = "drop") {
  setenv("RINGSIDE_RING_BYTES", std::to_string(kRing).c_str(), 1);
  setenv("RINGSIDE_OVERFLOW", policy, 1);
}

void log_one() {
  RS_INFO("%ld", 1L);
}

shm::ConsumerSleep& consumer() {
  return own_segment().control().consumer_sleep;
}
shm::WakeUps& wake_ups() {
  return own_segment().control().wake_ups;
}
std::uint64_t unread() {
  const shm::RingMetadata& ring = own_segment().ring(own_segment().my_ring());
  return ring.producer.producer_pos.load() - ring.consumer.consumer_pos.load();
}
// As a consumer that has taken everything.
void read_all() {
  shm::RingMetadata& ring = own_segment().ring(own_segment().my_ring());
  ring.consumer.consumer_pos.store(ring.producer.producer_pos.load());
}

PROCESS_TEST(ConsumerWake, AThreadWakesASleepingConsumerOnceAQuarterOfItsRingIsUnread) {
  use_small_rings();
  log_one();
  EXPECT_EQ(wake_ups().parts.load(), shm::kWakeUpParts);
  for (std::uint32_t sleep = 1; sleep < 20; sleep += 2) {
    read_all();
    consumer().number.store(sleep);
    const std::uint32_t calls = wake_ups().calls.load();
    while (unread() < kPart) {
      EXPECT_EQ(wake_ups().calls.load(), calls) << unread();
      log_one();
    }
    log_one();
    EXPECT_EQ(wake_ups().calls.load(), calls + 1);
    // One call for each sleep, however full the ring gets.
    while (unread() < kRing / 2) log_one();
    EXPECT_EQ(wake_ups().calls.load(), calls + 1);
    consumer().number.store(sleep + 1);
  }
}

PROCESS_TEST(ConsumerWake, AConsumerThatFallsAsleepInTheMiddleIsWokenWithinAQuarter) {
  use_small_rings();
  log_one();
  for (std::uint64_t before = 0; before < kPart; before += 2048) {
    read_all();
    while (unread() < before) log_one();
    read_all();
    const std::uint32_t calls = wake_ups().calls.load();
    consumer().number.store(consumer().number.load() + 1);
    while (unread() < kPart + 64) log_one();
    EXPECT_EQ(wake_ups().calls.load(), calls + 1) << before;
    consumer().number.store(consumer().number.load() + 1);
  }
}

PROCESS_TEST(ConsumerWake, NoCallIsMadeWhileTheConsumerIsAwake) {
  use_small_rings();
  for (int i = 0; i < 20'000; ++i) log_one();
  EXPECT_GT(status().dropped, 0U);
  EXPECT_EQ(wake_ups().calls.load(), 0U);
}

PROCESS_TEST(ConsumerWake, ARingThatIsOverwrittenWakesNoConsumer) {
  use_small_rings("overwrite");
  log_one();
  consumer().number.store(1);
  for (int i = 0; i < 20'000; ++i) log_one();
  EXPECT_EQ(wake_ups().calls.load(), 0U);
}

PROCESS_TEST(ConsumerWake, TheCallEndsAWaitOfTheKernel) {
  use_small_rings();
  log_one();
  std::atomic<bool> is_over{false};
  shm::WakeUps& words = wake_ups();
  std::thread sleeper([&] {
    const timespec bound{60, 0};
    consumer().number.store(1);
    const long result = syscall(SYS_futex, &words.calls, FUTEX_WAIT, 0, &bound, nullptr, 0);
    EXPECT_TRUE(result == 0 || errno == EAGAIN) << errno;
    is_over.store(true);
  });
  wait_until([] { return consumer().number.load() == 1; });
  while (unread() < kPart + 64) log_one();
  sleeper.join();
  EXPECT_TRUE(is_over.load());
}

PROCESS_TEST(ConsumerWake, FlushAndRotateWakeTheConsumer) {
  log_one();
  consumer().number.store(1);
  EXPECT_FALSE(flush(std::chrono::milliseconds(1)));
  EXPECT_EQ(wake_ups().calls.load(), 1U);
  consumer().number.store(3);
  rotate(std::chrono::milliseconds(0));
  EXPECT_EQ(wake_ups().calls.load(), 2U);
}

PROCESS_TEST(ConsumerWake, AThreadWakesTheConsumerIfRingsOfEndedThreadsAreNotDrained) {
  log_one();
  consumer().number.store(1);
  std::thread(log_one).join();
  EXPECT_EQ(wake_ups().calls.load(), 0U) << "no ring waits for the consumer yet";
  std::thread(log_one).join();
  EXPECT_EQ(wake_ups().calls.load(), 1U);
}

PROCESS_TEST(ConsumerWake, SilentThreadsAreCountedAsLongAsTheyHaveARing) {
  use_small_rings();
  log_one();
  std::thread([] {
    EXPECT_TRUE(preallocate());
    EXPECT_TRUE(preallocate());
    EXPECT_EQ(wake_ups().silent_rings.load(), 1U);
    consumer().number.store(1);
    while (unread() < kRing / 2) log_one();
    EXPECT_EQ(wake_ups().calls.load(), 0U);
  }).join();
  EXPECT_EQ(wake_ups().silent_rings.load(), 0U);
}

PROCESS_TEST(ConsumerWake, AThreadThatBecomesSilentEndsTheSleepFirst) {
  log_one();
  consumer().number.store(1);
  EXPECT_TRUE(preallocate());
  EXPECT_EQ(wake_ups().calls.load(), 1U);
  EXPECT_EQ(wake_ups().silent_rings.load(), 1U);
}

// `action`: for futex calls; all other calls are permitted.
bool filter_futex(std::uint32_t action) {
  const auto statement = [](unsigned code, std::uint32_t k) {
    return sock_filter{static_cast<std::uint16_t>(code), 0, 0, k};
  };
  sock_filter filter[] = {
      statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      {static_cast<std::uint16_t>(BPF_JMP | BPF_JEQ | BPF_K), 0, 1, SYS_futex},
      statement(BPF_RET | BPF_K, action),
      statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

PROCESS_TEST(ConsumerWake, AThreadWhoseFilterRefusesTheCallBecomesSilent) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "sanitizers make such calls";
  use_small_rings();
  log_one();
  consumer().number.store(1);
  ASSERT_TRUE(filter_futex(SECCOMP_RET_ERRNO | EPERM));
  errno = 77;
  while (unread() < kRing / 2) log_one();
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(wake_ups().silent_rings.load(), 1U);
  consumer().number.store(3);
  const std::uint32_t calls = wake_ups().calls.load();
  while (unread() < kRing * 3 / 4) log_one();
  EXPECT_EQ(wake_ups().calls.load(), calls);
}

PROCESS_TEST(ConsumerWake, AThreadThatPreallocatedSurvivesAFilterThatKills) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "sanitizers make such calls";
  use_small_rings();
  const int status = run_child([] {
    preallocate();
    consumer().number.store(1);
    if (!filter_futex(SECCOMP_RET_KILL_PROCESS)) _exit(9);
    for (int i = 0; i < 20'000; ++i) log_one();
    _exit(0);
  });
  EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? "killed for a futex call" : "failed");
}

}  // namespace
}  // namespace ringside::test
