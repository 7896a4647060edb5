#pragma once
// The memory of a ring that is drained. A thread begins with a small part of its ring; its slow
// path backs the next part before a record reaches it, up to the whole ring. A ring that is filled
// slowly gives drained parts back, so that it stays small however much it has carried.
//
//         begin        consumer_pos        producer_pos          end
//   --------|===============|====================|================|---------
//   no      | drained       | to be drained      | free           | no memory
//   memory  |                                                     | yet
//
// No lock: the calling thread's own ring is meant throughout. A part is backed within one system
// call that also maps its pages, so the record path never faults on it.

#include <cstddef>
#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "libagent/recording/space_wait.hpp"

namespace ringside {

// RingMemory::end of a ring that has memory for all its bytes.
inline constexpr std::uint64_t kWholeRing = UINT64_MAX;

// Backs `bytes` of a mapping of the segment with memory, and maps their pages. Returns 0, ENOSPC,
// or EINVAL before Linux 5.14.
int back_pages(std::byte* place, std::uint64_t bytes);

// Maps the pages of `place`, which have memory, so that an access to them does not fault.
void map_pages(std::byte* place, std::uint64_t bytes);

// What a ring of `segment` gets when a thread first takes it: all of it if it is small, or if it is
// overwritten, whose threads make no system calls.
std::uint64_t first_part_bytes(const Segment& segment);

// The calling thread takes ring `index`, whose positions are known.
void begin_ring_memory(Segment& segment, std::uint32_t index, std::uint64_t tsc);

// Records must end at this position at the latest, until more memory is backed.
std::uint64_t ring_memory_end();

// The ring of the calling thread, in a call that needs memory for it.
struct GrowingRing {
  Segment& segment;
  const shm::RingMetadata& ring;
  std::byte* base;        // of its first copy
  std::uint64_t lap_end;  // positions before it are at rs_place(); later ones begin a new lap
};

// Backs the ring up to `end`, for which the consumer has left space. Without memory, waits for the
// consumer as for a full ring, and uses the memory of drained parts again. False: the record must
// be dropped, and waiter.cause() has the reason.
bool back_ring(const GrowingRing& ring, std::uint64_t end, std::uint64_t tsc, SpaceWait& waiter);

// Before a lap that begins with `bytes` bytes: maps the ring so often that it can begin at any
// place, and gives memory of a whole ring back that took long to fill. False if it cannot be
// mapped.
bool prepare_lap(const GrowingRing& ring, std::uint64_t bytes, std::uint64_t tsc);

// The length of a lap that begins at `start`: a ring, or less in the first round of a ring.
std::uint64_t lap_bytes_from(const Segment& segment, std::uint64_t start);

// Backs the whole ring of the calling thread, for as long as the thread has it: no log call then
// makes a system call for memory. False if there is no memory.
bool keep_whole_ring();

}  // namespace ringside
