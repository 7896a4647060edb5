#pragma once
// The words of one segment through which its service wakes a sleeping consumer
// (shm-layout/README.md, "A sleeping consumer").

#include <atomic>
#include <cstdint>

#include "shm-layout/control_page.hpp"

namespace ringside::consumer {

// begin(), then a fence (memory_order_seq_cst), then is_allowed() and a check of the rings. Only if
// both permit it the consumer may wait for a change of word(). Then end().
class SegmentSleep {
 public:
  // The consumer has the segment's lock, and is awake.
  explicit SegmentSleep(shm::ControlPage& control);

  // Whether the service wakes consumers at all.
  bool is_possible() const { return control_.wake_ups.parts.load(std::memory_order_relaxed) != 0; }
  // Tells the service that the consumer sleeps. Returns the value of word() to wait with.
  std::uint32_t begin();
  // Whether every thread of the service wakes the consumer.
  bool is_allowed() const {
    // Ordered by the fence before it.
    return control_.wake_ups.silent_rings.load(std::memory_order_relaxed) == 0;
  }
  void end();

  // The futex word: the service changes it before each wake-up.
  const std::atomic<std::uint32_t>& word() const { return control_.wake_ups.calls; }

 private:
  void advance();

  shm::ControlPage& control_;
  std::uint32_t number_;  // the service may change the shared one
};

}  // namespace ringside::consumer
