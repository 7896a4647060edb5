#pragma once
// Sleeps until the consumer has freed space in a full ring (shm-layout/README.md, "A thread that
// waits for space").

#include <atomic>
#include <cstdint>

#include "libagent/recording/growing_nap.hpp"
#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/space_word.hpp"

namespace ringside {

// False once a seccomp filter has forbidden the calling thread the call that the sleep needs. Then
// it looks on its own.
bool may_sleep_on_word();

// Sleeps while `*word`, a futex word, is `value`, for `nap_ns` at most. Signal-safe, and not a
// cancellation point.
void sleep_on_word(std::atomic<std::uint32_t>* word, std::uint32_t value, std::uint64_t nap_ns);

// Sleeps until the consumer has freed half of the calling thread's ring, or for `nap_ns` (0: pauses
// only). Not at all if `has_space` returns true once the consumer can see that the thread waits.
// Signal-safe: a handler that waits too changes the word, which ends the sleep of the interrupted
// wait.
template <class HasSpace>
void sleep_until_woken(shm::RingMetadata& ring, std::uint64_t nap_ns, const HasSpace& has_space) {
  if (nap_ns == 0 || !may_sleep_on_word()) return nap(nap_ns);
  std::atomic<std::uint32_t>& word = ring.identity.space_word;
  const std::uint32_t before = word.load(std::memory_order_relaxed);
  const std::uint32_t waiting = shm::waits_for_space(before) ? before + 2 : before + 1;
  word.store(waiting, std::memory_order_relaxed);
  // Pairs with the consumer's fence: either it sees that this thread waits, or this thread sees the
  // position that the consumer stored before.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!has_space()) sleep_on_word(&word, waiting, nap_ns);
  std::uint32_t expected = waiting;  // unless the consumer or a handler has changed it
  word.compare_exchange_strong(expected, waiting + 1, std::memory_order_relaxed);
}

}  // namespace ringside
