#include "consumerd/session/segment_sleep.hpp"

namespace ringside::consumer {

SegmentSleep::SegmentSleep(shm::ControlPage& control)
    : control_(control), number_(control.consumer_sleep.number.load(std::memory_order_relaxed)) {
  if (shm::is_asleep(number_)) advance();  // its consumer died in its sleep
}

void SegmentSleep::advance() {
  // Pairs with the acquire of a thread that wakes the consumer: the reading of `calls` in begin()
  // precedes that thread's addition.
  control_.consumer_sleep.number.store(++number_, std::memory_order_release);
}

std::uint32_t SegmentSleep::begin() {
  const std::uint32_t calls = word().load(std::memory_order_relaxed);
  advance();
  return calls;
}

void SegmentSleep::end() {
  advance();
}

}  // namespace ringside::consumer
