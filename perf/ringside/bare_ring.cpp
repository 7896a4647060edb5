#include "perf/ringside/bare_ring.hpp"

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace ringside::perf {
namespace {

// As a segment with the default options has them (strace of the row).
constexpr std::size_t kRingBytes = 1U << 20;
constexpr std::size_t kFirstPartBytes = 16U << 10;
constexpr off_t kFileBytes = 1'121'976'320;
constexpr std::size_t kFrontBytes = 48'234'496;  // all that is not rings
constexpr off_t kReservedBytes = 147'456;        // of it, in seven places
constexpr std::size_t kTouchedPages = 9;

}  // namespace

int bare_ring_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (ftruncate(file, kFileBytes) == 0) return file;
  close(file);
  return -1;
}

bool map_bare_ring(int file, int index) {
  void* const place =
      mmap(nullptr, 3 * kRingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  auto* const second = static_cast<std::byte*>(place) + kRingBytes;
  const auto offset =
      static_cast<off_t>(kFrontBytes + static_cast<std::size_t>(index) * kRingBytes);
  return mmap(second, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, offset) !=
             MAP_FAILED &&
         madvise(second, kFirstPartBytes, MADV_POPULATE_WRITE) == 0;
}

bool create_bare_segment(const std::string& path) {
  const int file = bare_ring_file(path);
  if (file < 0 || fallocate(file, FALLOC_FL_KEEP_SIZE, 0, kReservedBytes) != 0) return false;
  void* const front = mmap(nullptr, kFrontBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (front == MAP_FAILED) return false;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t page = 0; page < kTouchedPages; ++page) {
    static_cast<volatile char*>(front)[page * page_bytes * 4] = 1;
  }
  return map_bare_ring(file, 0);
}

}  // namespace ringside::perf
