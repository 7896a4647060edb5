#pragma once
// The kernel's unit of memory: 4 KiB on x86-64; 4, 16 or 64 KiB on AArch64, as the kernel was
// configured. The layout of shared memory does not depend on it.

#include <atomic>
#include <cstddef>
#include <unistd.h>

namespace ringside {

// No system call. Asks the C library once, because first log calls need it several times.
inline std::size_t page_bytes() {
  static std::atomic<std::size_t> known{0};
  std::size_t bytes = known.load(std::memory_order_relaxed);
  if (bytes == 0) {
    bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    known.store(bytes, std::memory_order_relaxed);
  }
  return bytes;
}

}  // namespace ringside
