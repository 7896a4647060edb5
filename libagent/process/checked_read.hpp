#pragma once
// Reads of memory that may not exist: the stack of a thread that has crashed, the headers of a
// module.

#include <cstddef>
#include <cstdint>

namespace ringside {

// Copies `bytes` bytes from `address` of this process. False, with any content in `out`, if one of
// them cannot be read. The memory is never accessed by an instruction of this process, so no signal
// is raised. No lock; one system call. Signal-safe.
bool read_checked(std::uintptr_t address, void* out, std::size_t bytes);

// The same for one object.
template <class Object>
bool read_checked(std::uintptr_t address, Object* out) {
  return read_checked(address, out, sizeof *out);
}

}  // namespace ringside
