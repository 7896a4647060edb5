#pragma once
// The kernel's unit of memory: 4 KiB on x86-64; 4, 16 or 64 KiB on AArch64, as the kernel was
// configured. The layout of shared memory does not depend on it.

#include <cstddef>
#include <unistd.h>

namespace ringside {

// No system call.
inline std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace ringside
