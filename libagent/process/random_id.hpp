#pragma once
// Random numbers for ids that must differ from those of all other processes and hosts.

#include <cstddef>

namespace ringside {

// Fills `out` with random bytes of the kernel. Never fails: where the call is forbidden, the bytes
// depend on clock, process and thread. Signal-safe.
void fill_random(unsigned char* out, std::size_t bytes);

}  // namespace ringside
