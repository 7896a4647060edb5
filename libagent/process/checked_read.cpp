#include "libagent/process/checked_read.hpp"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <sys/syscall.h>
#include <sys/uio.h>

namespace ringside {
namespace {

// Where a system-call filter refuses process_vm_readv: the kernel reads the bytes to write them
// into a pipe. In pieces that a pipe accepts at once.
bool read_through_pipe(std::uintptr_t address, void* out, std::size_t bytes) {
  constexpr std::size_t kPieceBytes = 512;
  int ends[2];
  if (syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t piece = bytes - done < kPieceBytes ? bytes - done : kPieceBytes;
    const long written = syscall(SYS_write, ends[1], address + done, piece);
    if (written <= 0) break;
    const long taken = syscall(SYS_read, ends[0], static_cast<char*>(out) + done, written);
    if (taken != written) break;
    done += static_cast<std::size_t>(taken);
  }
  syscall(SYS_close, ends[0]);
  syscall(SYS_close, ends[1]);
  return done == bytes;
}

}  // namespace

// The bare system calls: the wrappers of a sanitizer would check the memory.
bool read_checked(std::uintptr_t address, void* out, std::size_t bytes) {
  const int error = errno;
  const iovec to{out, bytes};
  const iovec from{reinterpret_cast<void*>(address), bytes};
  // The thread's own id: after pthread_exit() of the main thread, the process's id finds no memory.
  const long self = syscall(SYS_gettid);
  const long copied = syscall(SYS_process_vm_readv, self, &to, 1UL, &from, 1UL, 0UL);
  bool is_read = copied >= 0 && static_cast<std::size_t>(copied) == bytes;
  if (copied == -1 && errno != EFAULT) is_read = read_through_pipe(address, out, bytes);
  errno = error;
  return is_read;
}

}  // namespace ringside
