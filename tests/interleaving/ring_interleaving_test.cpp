// The two sides of the ring under every interleaving and every stale read that their memory orders
// permit. The code is transcribed one operation per step; README.md lists the original lines.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "tests/interleaving/exploration.hpp"
#include "tests/interleaving/weak_memory.hpp"

namespace ringside::interleaving {
namespace {

constexpr std::size_t kProducer = 0;
constexpr std::size_t kConsumer = 1;
enum Location : std::size_t {
  kProducerPos,
  kConsumerPos,
  kGeneration,
  kLineGeneration,
  kStreamId,
  kStreamIdReads,
  kCells,
};
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

struct Protocol {
  std::memory_order publish = kRelease;        // rs_publish
  std::memory_order see_published = kAcquire;  // RingDrain::drain
  std::memory_order give_back = kRelease;      // RingDrain::publish
  std::memory_order see_space = kAcquire;      // space_limit
  std::memory_order see_drained = kAcquire;    // is_drained
  bool publish_before_bytes = false;
  bool give_back_before_read = false;
};

struct Size {
  std::uint64_t capacity;  // records in the ring
  std::uint64_t records;   // of one owner
  std::uint64_t owners;
  int preemptions;  // maximum; -1: any number
};

std::size_t cell(const Size& size, std::uint64_t pos) {
  return kCells + 2 * (pos % size.capacity);
}

// The threads that own the ring, one after the other.
class Producer {
 public:
  Producer(WeakMemory& memory, const Protocol& protocol, const Size& size)
      : memory_(memory), protocol_(protocol), size_(size) {}

  bool over() const { return owner_ == size_.owners; }
  bool can_step() const {
    if (over()) return false;
    if (step_ == 0) return memory_.can_load(kProducer, kLineGeneration, line_is_ours());
    if (step_ == 1) return memory_.can_load(kProducer, kConsumerPos, drained());
    if (step_ == 4) return pos_ < limit_ || memory_.can_load(kProducer, kConsumerPos, space());
    return true;
  }
  void step() {
    switch (step_++) {
      case 0:
        memory_.load(kProducer, kLineGeneration, kRelaxed, line_is_ours());
        break;
      case 1:
        memory_.load(kProducer, kConsumerPos, protocol_.see_drained, drained());
        break;
      case 2:
        memory_.write_plain(kProducer, kStreamId, kStreamIdReads, owner_ + 1);
        break;
      case 3:
        memory_.store(kProducer, kGeneration, owner_ + 1, kRelease);
        break;
      case 4:
        if (pos_ >= limit_) {
          limit_ =
              size_.capacity + memory_.load(kProducer, kConsumerPos, protocol_.see_space, space());
        }
        break;
      case 5:
        protocol_.publish_before_bytes ? publish() : write();
        break;
      default:
        protocol_.publish_before_bytes ? write() : publish();
        ++pos_;
        step_ = 4;
        if (pos_ == (owner_ + 1) * size_.records) {
          ++owner_;
          step_ = 0;
        }
    }
  }

 private:
  WeakMemory::Accepts line_is_ours() const {
    return [this](std::uint64_t generation) { return generation == owner_; };
  }
  WeakMemory::Accepts drained() const {
    return [this](std::uint64_t pos) { return pos == pos_; };
  }
  WeakMemory::Accepts space() const {
    return [this](std::uint64_t pos) { return pos_ < pos + size_.capacity; };
  }
  void write() {
    memory_.write_plain(kProducer, cell(size_, pos_), cell(size_, pos_) + 1, pos_ + 1);
  }
  void publish() { memory_.store(kProducer, kProducerPos, pos_ + 1, protocol_.publish); }

  WeakMemory& memory_;
  const Protocol& protocol_;
  const Size& size_;
  std::uint64_t owner_ = 0;
  std::uint64_t pos_ = 0;
  std::uint64_t limit_ = 0;
  int step_ = 0;
};

class Consumer {
 public:
  Consumer(WeakMemory& memory, const Protocol& protocol, const Size& size)
      : memory_(memory), protocol_(protocol), size_(size) {}

  bool over() const { return pos_ == size_.records * size_.owners && step_ == 0; }
  bool can_step() const {
    return !over() && (step_ != 0 || memory_.can_load(kConsumer, kProducerPos, published()));
  }
  void step() {
    switch (step_++) {
      case 0:
        end_ = memory_.load(kConsumer, kProducerPos, protocol_.see_published, published());
        break;
      case 1: {
        const std::uint64_t generation =
            memory_.load(kConsumer, kGeneration, kAcquire, [](std::uint64_t) { return true; });
        sound_ = sound_ && generation == pos_ / size_.records + 1;
        if (generation == generation_) step_ = 4;
        generation_ = generation;
        break;
      }
      case 2:
        sound_ = sound_ && memory_.read_plain(kConsumer, kStreamId, kStreamIdReads) == generation_;
        break;
      case 3:
        memory_.store(kConsumer, kLineGeneration, generation_, kRelease);
        break;
      case 4:
        protocol_.give_back_before_read ? give_back() : read();
        break;
      default:
        protocol_.give_back_before_read ? read() : give_back();
        pos_ = end_;
        step_ = 0;
    }
  }
  bool sound() const { return sound_; }

 private:
  WeakMemory::Accepts published() const {
    return [this](std::uint64_t pos) { return pos > pos_; };
  }
  void read() {
    for (std::uint64_t pos = pos_; pos < end_; ++pos) {
      sound_ = sound_ &&
               memory_.read_plain(kConsumer, cell(size_, pos), cell(size_, pos) + 1) == pos + 1;
    }
  }
  void give_back() { memory_.store(kConsumer, kConsumerPos, end_, protocol_.give_back); }

  WeakMemory& memory_;
  const Protocol& protocol_;
  const Size& size_;
  std::uint64_t pos_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t generation_ = 0;
  int step_ = 0;
  bool sound_ = true;
};

bool run_is_sound(Choices& choices, const Protocol& protocol, const Size& size) {
  WeakMemory memory(choices);
  Producer producer(memory, protocol, size);
  Consumer consumer(memory, protocol, size);
  int preemptions = 0;
  bool producer_was_last = true;
  while (!producer.over() || !consumer.over()) {
    const bool first = producer.can_step();
    const bool second = consumer.can_step();
    if (!first && !second) return false;  // neither side will ever proceed
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
    if (memory.raced() || !consumer.sound()) return false;
  }
  return true;
}

void expect_sound(const Size& size) {
  expect_sound_in_every_schedule([&](Choices& choices) { return run_is_sound(choices, {}, size); });
}

void expect_found(const Protocol& fault) {
  bool found = false;
  for (const Size& size : {Size{2, 1, 2, -1}, Size{2, 3, 1, -1}}) {
    found = found || !explore([&](Choices& c) { return run_is_sound(c, fault, size); }).sound;
  }
  EXPECT_TRUE(found);
}

TEST(RingInterleaving, HoldsInEverySchedule) {
  expect_sound({1, 3, 2, -1});
  expect_sound({2, 4, 1, -1});
  expect_sound({2, 2, 2, -1});
  expect_sound({3, 3, 1, -1});
}

TEST(RingInterleaving, HoldsWithFewPreemptionsOverLapsAndOwners) {
  expect_sound({3, 4, 2, 3});
}

TEST(RingInterleaving, HoldsInRandomSchedules) {
  expect_sound_in_random_schedules(20'000, [](Choices& choices, std::uint64_t /*number*/) {
    return run_is_sound(choices, {}, {4, 9, 3, -1});
  });
}

TEST(RingInterleaving, FindsARelaxedPublication) {
  expect_found({.publish = kRelaxed});
}
TEST(RingInterleaving, FindsARelaxedLoadOfThePosition) {
  expect_found({.see_published = kRelaxed});
}
TEST(RingInterleaving, FindsARelaxedRelease) {
  expect_found({.give_back = kRelaxed});
}
TEST(RingInterleaving, FindsARelaxedLoadOfTheSpace) {
  expect_found({.see_space = kRelaxed});
}
TEST(RingInterleaving, FindsARelaxedLoadBeforeReuse) {
  expect_found({.see_drained = kRelaxed});
}
TEST(RingInterleaving, FindsPublicationBeforeTheBytes) {
  expect_found({.publish_before_bytes = true});
}
TEST(RingInterleaving, FindsReleaseBeforeTheRead) {
  expect_found({.give_back_before_read = true});
}

}  // namespace
}  // namespace ringside::interleaving
