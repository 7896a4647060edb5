// A sleep of consumerd: what ends it, and what prevents it. The segments are made by hand.

#include <atomic>
#include <climits>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

#include "consumerd/poll/idle_sleep.hpp"
#include "session_fixture.hpp"
#include "trace-format/reader/follower_mark.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::IdleSleep;
using Result = IdleSleep::Result;

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RINGSIDE_TEST_THREAD_SANITIZER
#endif
#endif
#if defined(RINGSIDE_TEST_THREAD_SANITIZER) || defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

// Only a lost wake-up lasts that long.
constexpr auto kLong = std::chrono::seconds(100);

class ConsumerSleep : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    service_.control().wake_ups.parts.store(shm::kWakeUpParts);
  }
  void start_idle() {
    start();
    round();
    sessions_.push_back(std::move(session_));
  }
  void TearDown() override {
    for (auto& session : sessions_) {
      session_ = std::move(session);
      end();
    }
  }

  // As wake_if_asleep() in the library.
  void wake() {
    shm::ControlPage& control = service_.control();
    control.wake_ups.calls.fetch_add(1);
    syscall(SYS_futex, &control.wake_ups.calls, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  // Runs when this process sleeps.
  template <class Action>
  std::thread once_asleep(Action&& action) {
    return std::thread([this, action] {
      while (!shm::is_asleep(service_.control().consumer_sleep.number.load())) {
        std::this_thread::yield();
      }
      action();
    });
  }
  Result sleep(std::chrono::nanoseconds at_most) { return sleep_.sleep(sessions_, at_most); }
  bool looks_awake() const {
    return !shm::is_asleep(const_cast<ScriptedService&>(service_).control().consumer_sleep.number);
  }

  IdleSleep sleep_{log_};
  IdleSleep::Sessions sessions_;
};

TEST_F(ConsumerSleep, AServiceEndsIt) {
  start_idle();
  std::thread waker = once_asleep([this] { wake(); });
  EXPECT_EQ(sleep(kLong), Result::kWoken);
  waker.join();
  EXPECT_TRUE(looks_awake());
}

TEST_F(ConsumerSleep, AnyOfManyServicesEndsIt) {
  start_idle();
  std::vector<std::unique_ptr<ScriptedService>> others;
  for (unsigned i = 0; i < 20; ++i) {
    others.push_back(std::make_unique<ScriptedService>(shm_.path(), "svc", 100 + i, 1));
    others.back()->control().wake_ups.parts.store(shm::kWakeUpParts);
    start(others.back()->name());
    round();
    sessions_.push_back(std::move(session_));
  }
  shm::ControlPage& last = others.back()->control();
  std::thread waker([&last] {
    while (!shm::is_asleep(last.consumer_sleep.number.load())) std::this_thread::yield();
    last.wake_ups.calls.fetch_add(1);
    syscall(SYS_futex, &last.wake_ups.calls, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  });
  EXPECT_EQ(sleep(kLong), Result::kWoken);
  waker.join();
}

TEST_F(ConsumerSleep, ItEndsWithItsTime) {
  start_idle();
  EXPECT_EQ(sleep(std::chrono::milliseconds(1)), Result::kOver);
  EXPECT_TRUE(looks_awake());
}

TEST_F(ConsumerSleep, ItsNumberNeverRepeatsNotEvenUnderAnotherConsumer) {
  service_.control().consumer_sleep.number.store(7);  // of a consumer that died in its sleep
  start_idle();
  EXPECT_EQ(service_.control().consumer_sleep.number.load(), 8U);
  sleep(std::chrono::milliseconds(1));
  EXPECT_EQ(service_.control().consumer_sleep.number.load(), 10U);
}

TEST_F(ConsumerSleep, UnreadRecordsPreventIt) {
  start_idle();
  service_.publish(0, 1);
  EXPECT_EQ(sleep(kLong), Result::kNone);
  EXPECT_TRUE(looks_awake());
}

TEST_F(ConsumerSleep, RequestsPreventIt) {
  start_idle();
  shm::ControlPage& control = service_.control();
  for (std::atomic<std::uint64_t>* const request :
       {&control.service.flush_request, &control.tool_requests.flush,
        &control.losses.durable_flush_request, &control.tool_requests.durable_flush,
        &control.losses.rotation_request, &control.tool_requests.rotation}) {
    request->fetch_add(1);
    EXPECT_EQ(sleep(kLong), Result::kNone);
    request->fetch_sub(1);
  }
}

TEST_F(ConsumerSleep, AServiceThatEndsPreventsIt) {
  start_idle();
  service_.die();
  EXPECT_EQ(sleep(kLong), Result::kNone);
}

TEST_F(ConsumerSleep, ServicesThatCannotWakeAnyConsumerPreventIt) {
  start_idle();
  service_.control().wake_ups.silent_rings.store(1);
  EXPECT_EQ(sleep(kLong), Result::kNone);
  service_.control().wake_ups.silent_rings.store(0);
  service_.control().wake_ups.parts.store(0);  // a library before 1.8
  EXPECT_EQ(sleep(kLong), Result::kNone);
}

TEST_F(ConsumerSleep, AWordThatChangesAllTheTimePreventsIt) {
  start_idle();
  std::atomic<bool> stop{false};
  std::thread scribbler([&] {
    while (!stop.load()) wake();
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sleep(kLong), Result::kWoken);
  stop.store(true);
  scribbler.join();
}

TEST_F(ConsumerSleep, ASignalHandlerEndsItAlsoInAdvance) {
  start_idle();
  sleep_.begin_reading();
  consumer::interrupt_sleep();
  EXPECT_EQ(sleep(kLong), Result::kNone);
  sleep_.begin_reading();
  EXPECT_EQ(sleep(std::chrono::milliseconds(1)), Result::kOver);
}

TEST_F(ConsumerSleep, ANewNameInTheDirectoryEndsIt) {
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer delays handlers until the call ends";
  start_idle();
  const int directory = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(directory, shm_.path().c_str(), IN_CREATE), 0);
  sleep_.watch(directory);
  sleep_.begin_reading();
  std::thread creator =
      once_asleep([this] { std::ofstream(shm_.path() + "/ringside.new.1.0123456789abcdef"); });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(sleep(kLong), Result::kWoken);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong) << "it ended with its time";
  creator.join();
  close(directory);
}

class WriteDelay : public ConsumerSleep {
 protected:
  std::string trace() const { return sessions_.front()->file().path(); }
  // Until the next check of followers.
  template <class Condition>
  void poll_until(Condition&& condition) {
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      sessions_.front()->poll();
      writer_->poll(false);
    }
    EXPECT_TRUE(condition());
  }
};

TEST_F(WriteDelay, IsShortWhileTheFileIsFollowed) {
  start_idle();
  EXPECT_TRUE(sessions_.front()->can_sleep());
  auto mark = std::make_unique<trace::FollowerMark>(trace());
  poll_until([this] { return !sessions_.front()->can_sleep(); });
  service_.publish(0, 1);
  sessions_.front()->poll();
  // Sealed by then, or due within the short delay.
  EXPECT_LE(sessions_.front()->next_write() == std::chrono::steady_clock::time_point::max()
                ? std::chrono::steady_clock::time_point()
                : sessions_.front()->next_write(),
            std::chrono::steady_clock::now() + std::chrono::milliseconds(2));
  mark.reset();
  poll_until([this] { return sessions_.front()->can_sleep(); });
}

// A machine may stop this process for longer than such points come.
TEST_F(WriteDelay, AFollowedFileThatHasGrownGetsSequencePointsWithoutRecords) {
  start_idle();
  const trace::FollowerMark mark(trace());
  poll_until([this] { return !sessions_.front()->can_sleep(); });
  bool has_grown = false;
  for (int attempt = 0; attempt < 100 && !has_grown; ++attempt) {
    service_.publish(0, 1);
    sessions_.front()->poll();
    const std::uint64_t bytes = sessions_.front()->file().file_bytes();
    std::uint64_t grown = bytes;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (std::chrono::steady_clock::now() < end) {
      sessions_.front()->poll();
      writer_->poll(false);
      grown = sessions_.front()->file().file_bytes();
    }
    has_grown = grown >= bytes + 10 * 32;  // at least ten points
  }
  EXPECT_TRUE(has_grown);
}

TEST_F(WriteDelay, AFileWithoutFollowersGrowsWithRecordsOnly) {
  start_idle();
  service_.publish(0, 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (std::chrono::steady_clock::now() < end) sessions_.front()->poll();
  poll_until([this] {
    return sessions_.front()->next_write() == std::chrono::steady_clock::time_point::max();
  });
  const std::uint64_t bytes = sessions_.front()->file().file_bytes();
  for (int i = 0; i < 1000; ++i) sessions_.front()->poll();
  EXPECT_EQ(sessions_.front()->file().file_bytes(), bytes);
}

TEST_F(WriteDelay, LocksOfOtherBytesDoNotMatter) {
  start_idle();
  const int fd = open(trace().c_str(), O_RDONLY | O_CLOEXEC);
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = 2;
  ASSERT_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
  EXPECT_FALSE(sessions_.front()->file().has_follower());
  const trace::FollowerMark mark(trace());
  EXPECT_TRUE(sessions_.front()->file().has_follower());
  close(fd);
}

}  // namespace
}  // namespace ringside::consumer_test
