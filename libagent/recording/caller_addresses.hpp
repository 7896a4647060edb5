#pragma once
// The return addresses on the stack of the calling thread, which runs normally. Defined in
// crashes/call_stack.cpp, beside the other walks: it also records modules.

#include <cstdint>

namespace ringside {

// Stores those of the frames above `caller_frame` (a stack pointer), innermost first, up to `most`,
// and returns their number. Records `ringside.module` for those in files that no record names yet.
// Signal-safe.
std::uint32_t addresses_above(std::uintptr_t caller_frame, const void** addresses,
                              std::uint32_t most);

}  // namespace ringside
