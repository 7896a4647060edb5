#pragma once
// The old end of a ring that is overwritten (policy `overwrite`): its oldest sub-buffer is
// discarded before its bytes are overwritten. shm-layout/overwrite_words.hpp describes the
// protocol.

#include <cstddef>
#include <cstdint>

#include "libagent/recording/agent.hpp"

namespace ringside {

// The calling thread takes the ring, whose bytes before `pos` become void. Call this before
// anything else of the ring's metadata changes. Signals blocked.
void give_up_all_records(shm::RingMetadata& ring, std::uint64_t pos);

// Position of the oldest record of the calling thread's ring. Private: the values in shared memory
// are untrusted.
std::uint64_t oldest_pos();

enum class GiveUp {
  done,
  // There is no complete sub-buffer to discard before the record that a signal handler interrupted,
  // or a handler has interrupted this function itself.
  refused,
  // Its bytes are not records: they were overwritten by something else.
  unsound,
};

// Discards the oldest sub-buffer of the calling thread's ring. No system call, no wait; a signal
// handler may interrupt it at any point and log, as long as there is space.
GiveUp give_up_oldest(const Segment& segment, shm::RingMetadata& ring, const std::byte* base);

// Discards everything up to `pos`, where a clock record is written next, without counting it.
void give_up_uncounted(shm::RingMetadata& ring, std::uint64_t pos);

// A signal handler that interrupted one of the functions above does not return to it.
void forget_interrupted_give_up();

// The sequence numbers that the former owner of `ring` has used. Lock held.
std::uint64_t numbers_used(const Segment& segment, const shm::RingMetadata& ring,
                           const std::byte* base);

}  // namespace ringside
