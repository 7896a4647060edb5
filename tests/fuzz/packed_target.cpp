// Any bytes as a file; a packed one if they begin like one.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <sys/mman.h>

#include "tests/fuzz/read_trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = memfd_create("input.ringtrace.zst", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  ringside::trace::ReadError error;
  auto file = ringside::trace::TraceFile::open("/proc/self/fd/" + std::to_string(fd), &error);
  if (file != nullptr) ringside::fuzz::read_trace(std::move(file));
  close(fd);
  return 0;
}
