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

// Backs ring `index` with memory and maps it twice back to back. Null if either fails.
std::byte* map_ring(Segment& segment, std::uint32_t index);

}  // namespace ringside
