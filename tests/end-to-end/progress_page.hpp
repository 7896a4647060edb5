#pragma once
// The progress of each thread of a workload, in a file that survives its death: the number of log
// calls that have returned. Only the page cache holds it, so a store is enough.

#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>

namespace ringside::end_to_end {

inline constexpr unsigned kMaxThreads = 64;

struct alignas(64) ThreadProgress {
  std::atomic<std::uint64_t> returned;
};

class ProgressPage {
 public:
  // kMaxThreads entries, by the thread's index in its process. Null if the file cannot be used.
  static ThreadProgress* map(const char* path) {
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return nullptr;
    constexpr std::size_t kBytes = kMaxThreads * sizeof(ThreadProgress);
    void* place = MAP_FAILED;
    if (ftruncate(fd, kBytes) == 0) {
      place = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
    }
    close(fd);
    return place == MAP_FAILED ? nullptr : static_cast<ThreadProgress*>(place);
  }
};

}  // namespace ringside::end_to_end
