#include "consumerd/rings/space_wake.hpp"

#include <atomic>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace ringside::consumer {

bool SpaceWake::look(std::uint64_t pos) const {
  std::atomic<std::uint32_t>& word = ring_->identity.space_word;
  // Pairs with the thread's fence: either this load sees that it waits, or its last check sees the
  // position that was stored before.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::uint32_t waiting = word.load(std::memory_order_relaxed);
  if (!shm::waits_for_space(waiting)) return true;
  const std::uint64_t published = ring_->producer.producer_pos.load(std::memory_order_relaxed);
  if (published - pos > ring_bytes_ / shm::kSpaceParts) return false;
  // First the change: a thread that is not asleep yet then does not sleep.
  if (word.compare_exchange_strong(waiting, waiting + 1, std::memory_order_relaxed)) {
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  return true;
}

}  // namespace ringside::consumer
