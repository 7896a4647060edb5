#pragma once
// Creates this process's segment (shm-layout/README.md) in the shared-memory directory.

#include <memory>
#include <string>

#include "libagent/agent.hpp"

namespace ringside {

// A complete, visible, locked segment, or null with `why` saying what failed and the remedy.
// Every byte that anybody will touch is reserved first: a full file system is refused here and
// never becomes a SIGBUS later.
std::unique_ptr<Segment> create_segment(const Options& options, std::string* why);

// Backs [0, bytes) of the dictionary with memory. False if there is none left.
bool reserve_dictionary(Segment& segment, std::uint64_t bytes);

// Backs the loss counters of the sites with ids up to `site_id`, if there is memory: those without
// any are counted by cause only. Lock held.
void reserve_site_losses(Segment& segment, std::uint32_t site_id);

// How often a ring is mapped, back to back. A lap begins anywhere in the second copy and may run
// into the third, so that its records need no wrapping of positions; a record of the lap before,
// which a signal handler that began this lap has interrupted, lies in the first or the second.
//
//      first copy        second copy       third copy
//   |-----------------|-----------------|-----------------|
//              <- up to a ring -| lap begins
//                               |- lap, a ring long -|
inline constexpr std::uint64_t kRingCopies = 3;

// Backs ring `index`, and its call costs, with memory and maps it kRingCopies times. Null if either
// fails.
std::byte* map_ring(Segment& segment, std::uint32_t index);

}  // namespace ringside
