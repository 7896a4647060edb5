// A thread that wakes a sleeping consumer, under every interleaving and every stale read that the
// memory orders permit. No time limit ends the consumer's sleep here. README.md lists the original
// lines.

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/interleaving/exploration.hpp"
#include "tests/interleaving/weak_memory.hpp"

namespace ringside::interleaving {
namespace {

constexpr std::size_t kProducer = 0;
constexpr std::size_t kConsumer = 1;
enum Location : std::size_t { kProducerPos, kConsumerPos, kNumber, kCalls };
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

struct Fault {
  bool no_fence_before_waking = false;
  bool no_fence_before_sleeping = false;
  bool no_last_check = false;
  bool number_after_last_check = false;
  bool calls_read_after_last_check = false;
  bool wake_before_change = false;
  bool no_check_on_the_way = false;
  bool number_has_two_values = false;
};

// In records.
struct Size {
  std::uint64_t capacity;
  std::uint64_t part;  // unread records that wake the consumer
  std::uint64_t records;
  int preemptions;  // maximum; -1: any number
};

// The kernel's side: it compares and waits, or wakes, in one step.
struct Futex {
  bool waits = false;
  void wake() { waits = false; }
};

class SleepProducer {
 public:
  SleepProducer(WeakMemory& memory, Futex& futex, const Fault& fault, const Size& size)
      : memory_(memory), futex_(futex), fault_(fault), size_(size) {}

  bool over() const { return pos_ == size_.records; }
  bool can_step() const {
    if (over()) return false;
    return step_ != Step::kSpace || memory_.can_load(kProducer, kConsumerPos, space());
  }
  void step() {
    switch (step_) {
      case Step::kRecord:
        if (pos_ < limit_) return publish();
        if (!fault_.no_fence_before_waking) memory_.fence(kProducer);
        step_ = Step::kNumber;
        break;
      case Step::kNumber:
        look_at_consumer();
        break;
      case Step::kUnread:
        look_at_unread();
        break;
      case Step::kChange:
        fault_.wake_before_change ? futex_.wake() : change();
        step_ = Step::kWake;
        break;
      case Step::kWake:
        fault_.wake_before_change ? change() : futex_.wake();
        step_ = Step::kSpace;
        break;
      case Step::kSpace: {
        const std::uint64_t consumed = memory_.load(kProducer, kConsumerPos, kAcquire, space());
        limit_ = fault_.no_check_on_the_way ? consumed + size_.capacity
                                            : std::min(consumed + size_.capacity, next_check_);
        publish();
      }
    }
  }

 private:
  enum class Step { kRecord, kNumber, kUnread, kChange, kWake, kSpace };

  // check_consumer_sleep()
  void look_at_unread() {
    const std::uint64_t consumed =
        memory_.load(kProducer, kConsumerPos, kRelaxed, [](std::uint64_t) { return true; });
    const bool is_due = pos_ - consumed >= size_.part;
    if (!is_due) next_check_ = consumed + size_.part;
    step_ = is_due && number_ != woken_ ? Step::kChange : Step::kSpace;
    if (is_due) woken_ = number_;
  }
  void look_at_consumer() {
    number_ = memory_.load(kProducer, kNumber, kAcquire, [](std::uint64_t) { return true; });
    next_check_ = pos_ + size_.part;
    step_ = number_ % 2 == 1 ? Step::kUnread : Step::kSpace;
  }
  void change() { memory_.store(kProducer, kCalls, ++calls_, kRelease); }
  void publish() {
    memory_.store(kProducer, kProducerPos, ++pos_, kRelease);
    step_ = Step::kRecord;
  }
  WeakMemory::Accepts space() const {
    return [this](std::uint64_t consumed) { return pos_ < consumed + size_.capacity; };
  }

  WeakMemory& memory_;
  Futex& futex_;
  const Fault& fault_;
  const Size& size_;
  Step step_ = Step::kRecord;
  std::uint64_t pos_ = 0;
  std::uint64_t limit_ = 0;
  std::uint64_t next_check_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t woken_ = 0;
  std::uint64_t calls_ = 0;
};

class SleepConsumer {
 public:
  SleepConsumer(WeakMemory& memory, Futex& futex, const Fault& fault)
      : memory_(memory), futex_(futex), fault_(fault) {}

  bool can_step() const { return !futex_.waits; }
  std::uint64_t consumed() const { return pos_; }

  void step() {
    switch (step_) {
      case Step::kRound: {
        const std::uint64_t published = load_published(kAcquire);
        if (published == pos_) {
          step_ = Step::kCalls;
          break;
        }
        pos_ = published;
        memory_.store(kConsumer, kConsumerPos, pos_, kRelease);
        break;
      }
      case Step::kCalls:
        if (!fault_.calls_read_after_last_check) read_calls();
        step_ = Step::kNumber;
        break;
      case Step::kNumber:
        if (!fault_.number_after_last_check) set_number();
        step_ = Step::kFence;
        break;
      case Step::kFence:
        if (!fault_.no_fence_before_sleeping) memory_.fence(kConsumer);
        step_ = Step::kCheck;
        break;
      case Step::kCheck: {
        const bool has_work = !fault_.no_last_check && load_published(kRelaxed) != pos_;
        step_ = has_work ? Step::kAwake : Step::kWait;
        break;
      }
      case Step::kWait:
        if (fault_.number_after_last_check) set_number();
        if (fault_.calls_read_after_last_check) read_calls();
        futex_.waits = memory_.newest_for(kConsumer, kCalls) == expected_;
        step_ = Step::kAwake;
        break;
      case Step::kAwake:
        set_number();
        step_ = Step::kRound;
    }
  }

 private:
  enum class Step { kRound, kCalls, kNumber, kFence, kCheck, kWait, kAwake };

  std::uint64_t load_published(std::memory_order order) {
    return memory_.load(kConsumer, kProducerPos, order, [](std::uint64_t) { return true; });
  }
  void read_calls() {
    expected_ = memory_.load(kConsumer, kCalls, kRelaxed, [](std::uint64_t) { return true; });
  }
  void set_number() {
    number_ = fault_.number_has_two_values ? 1 - number_ : number_ + 1;
    memory_.store(kConsumer, kNumber, number_, kRelease);
  }

  WeakMemory& memory_;
  Futex& futex_;
  const Fault& fault_;
  Step step_ = Step::kRound;
  std::uint64_t pos_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t expected_ = 0;
};

// While the consumer sleeps, at most a part of the ring is unread; and a thread that waits for
// space always gets it.
bool sleep_is_sound(Choices& choices, const Fault& fault, const Size& size) {
  constexpr int kMostSteps = 2000;  // a consumer that never sleeps, as long as the producer rests
  WeakMemory memory(choices);
  Futex futex;
  SleepProducer producer(memory, futex, fault, size);
  SleepConsumer consumer(memory, futex, fault);
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
    if (futex.waits && memory.newest(kProducerPos) - consumer.consumed() > size.part) return false;
  }
  return false;
}

void expect_no_lost_wake_up(const Size& size) {
  expect_sound_in_every_schedule(
      [&](Choices& choices) { return sleep_is_sound(choices, {}, size); });
}

void expect_lost_wake_up(const Fault& fault) {
  const Size size{3, 1, 3, 3};
  EXPECT_FALSE(explore([&](Choices& c) { return sleep_is_sound(c, fault, size); }).sound);
}

TEST(SleepInterleaving, NoWakeUpIsLostWithFourPreemptions) {
  expect_no_lost_wake_up({2, 1, 2, 4});
}

TEST(SleepInterleaving, NoWakeUpIsLostOverSeveralSleeps) {
  expect_no_lost_wake_up({2, 1, 4, 2});
  expect_no_lost_wake_up({4, 2, 5, 2});
}

TEST(SleepInterleaving, NoWakeUpIsLostInRandomSchedules) {
  expect_sound_in_random_schedules(50'000, [](Choices& choices, std::uint64_t i) {
    return sleep_is_sound(choices, {}, {4, 1 + i % 3, 12, -1});
  });
}

TEST(SleepInterleaving, FindsAMissingFenceOfTheProducer) {
  expect_lost_wake_up({.no_fence_before_waking = true});
}
TEST(SleepInterleaving, FindsAMissingFenceOfTheConsumer) {
  expect_lost_wake_up({.no_fence_before_sleeping = true});
}
TEST(SleepInterleaving, FindsAMissingLastCheck) {
  expect_lost_wake_up({.no_last_check = true});
}
TEST(SleepInterleaving, FindsALastCheckBeforeTheNumber) {
  expect_lost_wake_up({.number_after_last_check = true});
}
TEST(SleepInterleaving, FindsALateReadOfTheFutexWord) {
  expect_lost_wake_up({.calls_read_after_last_check = true});
}
TEST(SleepInterleaving, FindsAWakeUpBeforeTheChangeOfTheFutexWord) {
  expect_lost_wake_up({.wake_before_change = true});
}
TEST(SleepInterleaving, FindsALimitWithoutChecksOnTheWay) {
  expect_lost_wake_up({.no_check_on_the_way = true});
}
TEST(SleepInterleaving, FindsASleepWithTheNumberOfAnEarlierOne) {
  expect_lost_wake_up({.number_has_two_values = true});
}

}  // namespace
}  // namespace ringside::interleaving
