// Threads that were not created by pthread_create: they have thread-local storage, but no
// destructors.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "libagent/include/ringside/ringside.hpp"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"
#include "tests/agent/signal_handler.hpp"
#include "tests/agent/test_consumer.hpp"

namespace ringside::test {
namespace {

constexpr std::size_t kStackBytes = 256U << 10;

struct BareThread {
  int (*body)(int);
  int argument;
  std::atomic<int> running{1};  // the kernel clears it and wakes the waiting thread
};

int enter(void* thread) {
  auto* const t = static_cast<BareThread*>(thread);
  t->body(t->argument);
  syscall(SYS_exit, 0);
  return 0;
}

void* allocate_thread_storage() {
  const auto allocate = reinterpret_cast<void* (*)(void*)>(dlsym(RTLD_DEFAULT, "_dl_allocate_tls"));
  if (allocate == nullptr) return nullptr;
  void* const storage = allocate(nullptr);
  if (storage == nullptr) return nullptr;
  // The C library finds its thread through these two words (x86-64 ABI: %fs:0 and %fs:16).
  static_cast<void**>(storage)[0] = storage;
  static_cast<void**>(storage)[2] = storage;
  return storage;
}

// Runs `body` on a bare thread until it ends. False if the layout of this C library is unknown.
bool run_bare_thread(int (*body)(int), int argument) {
  void* const storage = allocate_thread_storage();
  if (storage == nullptr) return false;
  void* const stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  BareThread thread{body, argument};
  const int id = clone(enter, static_cast<char*>(stack) + kStackBytes,
                       CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                           CLONE_SYSVSEM | CLONE_SETTLS | CLONE_CHILD_CLEARTID,
                       &thread, nullptr, storage, &thread.running);
  EXPECT_GT(id, 0);
  while (thread.running.load() != 0) {
    syscall(SYS_futex, &thread.running, FUTEX_WAIT, 1, nullptr, nullptr, 0);
  }
  munmap(stack, kStackBytes);
  return true;
}

int log_as_soon_as_there_is_a_ring(int number) {
  while (!preallocate()) usleep(1000);
  RS_INFO("bare thread %d", number);
  return 0;
}

PROCESS_TEST(BareThread, LogsIntoARingOfItsOwn) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers know only threads of pthread_create";
  }
  RS_INFO("bare thread %d", -1);
  if (!run_bare_thread(log_as_soon_as_there_is_a_ring, 7)) {
    GTEST_SKIP() << "the layout of thread storage is unknown for this C library";
  }
  RS_INFO("bare thread %d", -2);
  EXPECT_EQ(own_segment().rings_used(), 2U);
  EXPECT_EQ(own_segment().data(0).size(), 2U);
  ASSERT_EQ(own_segment().data(1).size(), 1U);
  EXPECT_EQ(own_segment().data(1)[0].values[0], "i32 7");
}

PROCESS_TEST(BareThread, RingsOfEndedThreadsAreFoundAgain) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers know only threads of pthread_create";
  }
  setenv("RINGSIDE_MAX_THREADS", "3", 1);
  setenv("RINGSIDE_RING_BYTES", "65536", 1);
  RS_INFO("bare thread %d", -1);
  SegmentReader& segment = own_segment();
  std::vector<std::string> seen;
  TestConsumer consumer(segment, [&seen](std::uint32_t, const Record& r) {
    if (r.is_data()) seen.push_back(r.values.at(0));
  });
  consumer.start([] { usleep(500); });
  constexpr int kThreads = 12;
  for (int i = 0; i < kThreads; ++i) {
    if (!run_bare_thread(log_as_soon_as_there_is_a_ring, i)) {
      GTEST_SKIP() << "the layout of thread storage is unknown for this C library";
    }
  }
  consumer.stop();
  // The reader takes one ring after the other: a later thread's record can come first.
  std::vector<std::string> expected;
  for (int i = -1; i < kThreads; ++i) expected.push_back("i32 " + std::to_string(i));
  std::sort(expected.begin(), expected.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected);
  RS_INFO("bare thread %d", -2);
  EXPECT_EQ(segment.data(0).size(), 1U) << "the ring of a live thread stays its own";
}

int end_within_a_call(int number) {
  if (!preallocate()) return 1;
  std::uint64_t tsc = 0;
  rs_reserve(RS_SWITCH_ON, 8, &tsc);
  in_handler([number] { RS_INFO("handler %d", number); });
  return 0;
}

PROCESS_TEST(BareThread, HandlersRecordsOutliveAThreadThatEndsWithinACall) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "sanitizers know only threads of pthread_create";
  }
  setenv("RINGSIDE_MAX_THREADS", "2", 1);
  setenv("RINGSIDE_OVERFLOW", "drop", 1);
  RS_INFO("bare thread %d", -1);
  if (!run_bare_thread(end_within_a_call, 5)) {
    GTEST_SKIP() << "the layout of thread storage is unknown for this C library";
  }
  SegmentReader& segment = own_segment();
  ASSERT_EQ(segment.rings_used(), 2U);
  EXPECT_TRUE(segment.data(1).empty());
  // A thread that needs a ring finds those of ended threads.
  std::thread([] { RS_INFO("bare thread %d", -2); }).join();
  ASSERT_EQ(segment.data(1).size(), 1U);
  EXPECT_EQ(segment.data(1)[0].values[0], "i32 5");
}

}  // namespace
}  // namespace ringside::test
