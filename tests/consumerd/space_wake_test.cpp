// A thread that waits for space in its ring: when the consumer looks for it, and what wakes it.

#include "consumerd/rings/space_wake.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "session_fixture.hpp"
#include "shm-layout/space_word.hpp"

namespace ringside::consumer_test {
namespace {

using consumer::SpaceWake;

constexpr std::uint64_t kRing = 64U << 10;
constexpr std::uint64_t kBegin = 5 * kRing;  // of the positions

class SpaceWakeTest : public testing::Test {
 protected:
  SpaceWakeTest() {
    ring_->producer.producer_pos.store(kBegin + kRing);
    word().store(1);
  }
  std::atomic<std::uint32_t>& word() { return ring_->identity.space_word; }

  std::unique_ptr<shm::RingMetadata> ring_ = std::make_unique<shm::RingMetadata>();
  SpaceWake wake_{*ring_, kRing, kBegin};
};

TEST_F(SpaceWakeTest, EndsASleepWithoutATimeLimit) {
  std::thread sleeper([this] {
    while (word().load() == 1) {
      syscall(SYS_futex, &word(), FUTEX_WAIT, 1, nullptr, nullptr, 0);
    }
  });
  wake_.read_up_to(kBegin + kRing);
  sleeper.join();
  EXPECT_EQ(word().load(), 2U);
}

TEST_F(SpaceWakeTest, WaitsUntilHalfOfTheRingIsFree) {
  wake_.read_up_to(kBegin + kRing / 2 - 8);
  EXPECT_EQ(word().load(), 1U);
  wake_.read_up_to(kBegin + kRing / 2);
  EXPECT_EQ(word().load(), 2U);
}

TEST_F(SpaceWakeTest, LooksAfterEachQuarterOfTheRing) {
  word().store(2);
  wake_.read_up_to(kBegin + kRing / 2);
  word().store(3);  // it waits again
  wake_.read_up_to(kBegin + kRing * 3 / 4 - 8);
  EXPECT_EQ(word().load(), 3U);
  wake_.read_up_to(kBegin + kRing * 3 / 4);
  EXPECT_EQ(word().load(), 4U);
}

TEST_F(SpaceWakeTest, LeavesTheWordOfAThreadThatDoesNotWait) {
  word().store(6);
  wake_.read_up_to(kBegin + kRing);
  EXPECT_EQ(word().load(), 6U);
}

TEST_F(SpaceWakeTest, AnyPositionInTheSegmentIsHarmless) {
  ring_->producer.producer_pos.store(3);
  wake_.read_up_to(kBegin + kRing);
  EXPECT_EQ(word().load(), 1U);
}

class DrainedRing : public SessionTest {};

TEST_F(DrainedRing, ARoundWakesItsThread) {
  start();
  // More than a quarter of its ring, from where the consumer looked last.
  while (service_.ring(0).producer.producer_pos.load() < service_.layout().ring_bytes / 2) {
    service_.publish(0, 100);
  }
  service_.ring(0).identity.space_word.store(1);
  round();
  EXPECT_EQ(service_.ring(0).identity.space_word.load(), 2U);
  end();
}

TEST_F(DrainedRing, AConsumerThatFindsNothingToReadWakesItsThread) {
  service_.ring(0).identity.space_word.store(1);
  start();
  round();
  EXPECT_EQ(service_.ring(0).identity.space_word.load(), 2U);
  end();
}

}  // namespace
}  // namespace ringside::consumer_test
