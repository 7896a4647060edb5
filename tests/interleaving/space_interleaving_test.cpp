// A thread that sleeps until its ring has space, under every interleaving and every stale read that
// the memory orders permit. No time limit ends its sleep here. README.md lists the original lines.

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/interleaving/exploration.hpp"
#include "tests/interleaving/weak_memory.hpp"

namespace ringside::interleaving {
namespace {

constexpr std::size_t kProducer = 0;
constexpr std::size_t kConsumer = 1;
// Both sides change the futex word, by operations on its newest value. Its even values have no
// meaning of their own, so it is two locations here: the newest number of the thread, and the last
// number that the consumer answered.
enum Location : std::size_t { kProducerPos, kConsumerPos, kWaiting, kAnswered };
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

struct Fault {
  bool no_fence_before_sleep = false;
  bool no_fence_before_look = false;
  bool no_last_check = false;
  bool waiting_after_last_check = false;
  bool look_before_position = false;
  bool wake_before_change = false;
  bool looks_only_after_full_rings = false;  // by the positions that the consumer has seen
  bool looks_seldom = false;                 // each time that two whole rings were read
  bool number_never_changes = false;
};

// In records.
struct Size {
  std::uint64_t capacity;
  std::uint64_t part;   // between two looks
  std::uint64_t most;   // unread when the thread is woken
  std::uint64_t batch;  // read at once
  std::uint64_t records;
  int preemptions;  // maximum; -1: any number
};

// The kernel's side: it compares and waits, or wakes, in one step.
struct Futex {
  bool waits = false;
  void wake() { waits = false; }
};

bool anything(std::uint64_t) {
  return true;
}

class WaitingProducer {
 public:
  WaitingProducer(WeakMemory& memory, Futex& futex, const Fault& fault, const Size& size)
      : memory_(memory), futex_(futex), fault_(fault), size_(size) {}

  bool over() const { return pos_ == size_.records; }
  bool can_step() const { return !over() && !futex_.waits; }
  void step() {
    switch (step_) {
      case Step::kRecord:
        if (has_space()) return publish();
        step_ = fault_.waiting_after_last_check ? Step::kLastCheck : Step::kNumber;
        break;
      case Step::kNumber:
        if (!fault_.number_never_changes || number_ == 0) ++number_;
        memory_.store(kProducer, kWaiting, number_, kRelaxed);
        step_ = Step::kFence;
        break;
      case Step::kFence:
        if (!fault_.no_fence_before_sleep) memory_.fence(kProducer);
        step_ = fault_.waiting_after_last_check ? Step::kSleep : Step::kLastCheck;
        break;
      case Step::kLastCheck:
        if (!fault_.no_last_check && has_space()) return publish();
        step_ = fault_.waiting_after_last_check ? Step::kNumber : Step::kSleep;
        break;
      case Step::kSleep:
        futex_.waits = memory_.newest_for(kProducer, kAnswered) != number_;
        step_ = Step::kRecord;
    }
  }

 private:
  enum class Step { kRecord, kNumber, kFence, kLastCheck, kSleep };

  // space_limit()
  bool has_space() {
    return pos_ < memory_.load(kProducer, kConsumerPos, kAcquire, anything) + size_.capacity;
  }
  void publish() {
    memory_.store(kProducer, kProducerPos, ++pos_, kRelease);
    step_ = Step::kRecord;
  }

  WeakMemory& memory_;
  Futex& futex_;
  const Fault& fault_;
  const Size& size_;
  Step step_ = Step::kRecord;
  std::uint64_t pos_ = 0;
  std::uint64_t number_ = 0;
};

class WakingConsumer {
 public:
  WakingConsumer(WeakMemory& memory, Futex& futex, const Fault& fault, const Size& size)
      : memory_(memory), futex_(futex), fault_(fault), size_(size) {}

  bool can_step() const {
    if (step_ != Step::kRound || pos_ < end_) return true;
    return memory_.can_load(kConsumer, kProducerPos,
                            [this](std::uint64_t end) { return end > pos_; });
  }

  void step() {
    switch (step_) {
      case Step::kRound:
        if (pos_ == end_) {
          end_ = memory_.load(kConsumer, kProducerPos, kAcquire,
                              [this](std::uint64_t end) { return end > pos_; });
        }
        unread_before_ = end_ - pos_;
        step_ = fault_.look_before_position ? Step::kLook : Step::kPosition;
        break;
      case Step::kPosition:
        pos_ += std::min(size_.batch, end_ - pos_);
        memory_.store(kConsumer, kConsumerPos, pos_, kRelease);
        step_ = fault_.look_before_position || !look_is_due() ? Step::kRound : Step::kLook;
        break;
      case Step::kLook:
        if (!fault_.no_fence_before_look) memory_.fence(kConsumer);
        step_ = Step::kWord;
        break;
      case Step::kWord:
        look();
        break;
      case Step::kChange:
        fault_.wake_before_change ? futex_.wake() : change();
        break;
      case Step::kWake:
        fault_.wake_before_change ? change() : futex_.wake();
        after_look();
    }
  }

 private:
  enum class Step { kRound, kPosition, kLook, kWord, kChange, kWake };

  bool look_is_due() const {
    if (fault_.looks_only_after_full_rings) {
      return unread_before_ > size_.most && end_ - pos_ <= size_.most;
    }
    return pos_ - looked_ >= (fault_.looks_seldom ? 2 * size_.capacity : size_.part);
  }
  void look() {
    waiting_ = memory_.load(kConsumer, kWaiting, kRelaxed, anything);
    const std::uint64_t published = memory_.load(kConsumer, kProducerPos, kRelaxed, anything);
    if (waiting_ == answered_) {
      looked_ = pos_;
      return after_look();
    }
    if (!fault_.look_before_position && published - pos_ > size_.most) return after_look();
    looked_ = pos_;
    step_ = Step::kChange;
  }
  // The comparison with the newest value and the change are one operation.
  void change() {
    step_ = Step::kWake;
    if (memory_.newest_for(kConsumer, kWaiting) != waiting_) return after_look();
    answered_ = waiting_;
    memory_.store(kConsumer, kAnswered, answered_, kRelaxed);
  }
  void after_look() {
    step_ =
        fault_.look_before_position && step_ != Step::kPosition ? Step::kPosition : Step::kRound;
  }

  WeakMemory& memory_;
  Futex& futex_;
  const Fault& fault_;
  const Size& size_;
  Step step_ = Step::kRound;
  std::uint64_t pos_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t unread_before_ = 0;
  std::uint64_t looked_ = 0;
  std::uint64_t waiting_ = 0;
  std::uint64_t answered_ = 0;
};

// A thread that waits for space always gets it.
bool wait_is_sound(Choices& choices, const Fault& fault, const Size& size) {
  constexpr int kMostSteps = 2000;  // a thread may look again and again before the consumer moves
  WeakMemory memory(choices);
  Futex futex;
  WaitingProducer producer(memory, futex, fault, size);
  WakingConsumer consumer(memory, futex, fault, size);
  int preemptions = 0;
  bool producer_was_last = true;
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const bool first = producer.can_step();
    const bool second = consumer.can_step();
    if (!first && !second) return producer.over();
    bool producer_goes = first;
    if (first && second) {
      producer_goes = producer_was_last;
      if (preemptions != size.preemptions && choices.choose(2) == 1) {
        producer_goes = !producer_was_last;
        ++preemptions;
      }
    }
    producer_was_last = producer_goes;
    producer_goes ? producer.step() : consumer.step();
  }
  return false;
}

void expect_every_wait_to_end(const Size& size) {
  expect_sound_in_every_schedule(
      [&](Choices& choices) { return wait_is_sound(choices, {}, size); });
}

void expect_lost_wake_up(const Fault& fault) {
  const Size size{4, 1, 2, 4, 9, 3};
  EXPECT_FALSE(explore([&](Choices& c) { return wait_is_sound(c, fault, size); }).sound);
}

TEST(SpaceInterleaving, EveryWaitEndsWithFourPreemptions) {
  expect_every_wait_to_end({2, 1, 1, 2, 3, 4});
}

TEST(SpaceInterleaving, EveryWaitEndsOverSeveralWaits) {
  expect_every_wait_to_end({4, 1, 2, 4, 6, 3});
  expect_every_wait_to_end({4, 1, 2, 2, 7, 2});
}

TEST(SpaceInterleaving, EveryWaitEndsInRandomSchedules) {
  expect_sound_in_random_schedules(50'000, [](Choices& choices, std::uint64_t i) {
    return wait_is_sound(choices, {}, {8, 2, 4, 1 + i % 8, 24, -1});
  });
}

TEST(SpaceInterleaving, FindsAMissingFenceOfTheThread) {
  expect_lost_wake_up({.no_fence_before_sleep = true});
}
TEST(SpaceInterleaving, FindsAMissingFenceOfTheConsumer) {
  expect_lost_wake_up({.no_fence_before_look = true});
}
TEST(SpaceInterleaving, FindsAMissingLastCheck) {
  expect_lost_wake_up({.no_last_check = true});
}
TEST(SpaceInterleaving, FindsALastCheckBeforeTheNumber) {
  expect_lost_wake_up({.waiting_after_last_check = true});
}
TEST(SpaceInterleaving, FindsALookBeforeThePosition) {
  expect_lost_wake_up({.look_before_position = true});
}
TEST(SpaceInterleaving, FindsAWakeUpBeforeTheChangeOfTheWord) {
  expect_lost_wake_up({.wake_before_change = true});
}
TEST(SpaceInterleaving, FindsLooksThatDependOnAnOldPositionOfTheThread) {
  expect_lost_wake_up({.looks_only_after_full_rings = true});
}
TEST(SpaceInterleaving, FindsLooksThatAreTooSeldom) {
  expect_lost_wake_up({.looks_seldom = true});
}
TEST(SpaceInterleaving, FindsAWaitWithTheNumberOfAnEarlierOne) {
  expect_lost_wake_up({.number_never_changes = true});
}

}  // namespace
}  // namespace ringside::interleaving
