#pragma once
// Which modules the segment's records name already, for stacks of running threads.

#include <cstdint>

namespace ringside {

// Records `ringside.module` for modules of these return addresses that the present segment does not
// have yet, or may have lost: after a minute, and if rings are overwritten, when the thread has
// written a quarter of its ring since. Signal-safe; no lock. A thread that comes while another one
// records modules leaves that to the next stack. A library that is loaded at the place of an
// unloaded one is noticed after a minute.
void record_new_modules(const void* const* addresses, std::uint32_t count);

}  // namespace ringside
