#pragma once
// The far end of a ring that is overwritten (policy `overwrite`): its oldest sub-buffer is given up
// before its bytes are written over. The protocol stands in shm-layout/overwrite_words.hpp.

#include <cstddef>
#include <cstdint>

#include "libagent/agent.hpp"

namespace ringside {

// The calling thread takes the ring, whose bytes before `pos` become void: to be called before
// anything else of the ring's metadata changes. Signals blocked.
void give_up_all_records(shm::RingMetadata& ring, std::uint64_t pos);

// Where the oldest record of the calling thread's ring lies. Private: what stands in shared memory
// may be anything.
std::uint64_t oldest_pos();

enum class GiveUp {
  done,
  // There is no whole sub-buffer to give up before the record that a signal handler interrupted,
  // or a handler has interrupted this very function.
  refused,
  // Its bytes are no records: somebody wrote over them.
  unsound,
};

// Gives up the oldest sub-buffer of the calling thread's ring. No system call, no wait; a signal
// handler may interrupt it at any point and log, as long as there is space.
GiveUp give_up_oldest(const Segment& segment, shm::RingMetadata& ring, const std::byte* base);

// Gives up everything up to `pos`, where a clock record is written next, without counting it.
void give_up_uncounted(shm::RingMetadata& ring, std::uint64_t pos);

// The sequence numbers that the former owner of `ring` has used. Lock held.
std::uint64_t numbers_used(const Segment& segment, const shm::RingMetadata& ring,
                           const std::byte* base);

}  // namespace ringside
