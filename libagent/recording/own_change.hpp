#pragma once
// Shows the consumer that the service itself changes what is collected, and when.

#include <atomic>
#include <cstdint>

#include "libagent/include/ringside/abi.h"
#include "shm-layout/change_record.hpp"

namespace ringside {

// Alive during the change. One at a time: the caller holds the lock of the slow path.
class OwnChange {
 public:
  explicit OwnChange(shm::ServiceChanges& changes)
      : changes_(changes), count_(changes.count.load(std::memory_order_relaxed) | 1U) {
    changes_.count.store(count_, std::memory_order_relaxed);
    // Pairs with the consumer's fence: a consumer that sees part of the change sees the odd count.
    std::atomic_thread_fence(std::memory_order_release);
    changes_.tsc.store(rs_clock(), std::memory_order_relaxed);
  }
  // Release; pairs with the consumer's acquire: the even count comes after the whole change.
  ~OwnChange() { changes_.count.store(count_ + 1, std::memory_order_release); }
  OwnChange(const OwnChange&) = delete;
  OwnChange& operator=(const OwnChange&) = delete;

 private:
  shm::ServiceChanges& changes_;
  std::uint64_t count_;
};

}  // namespace ringside
