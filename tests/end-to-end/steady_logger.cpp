// Logs a given number of records on two threads between two marker system calls (getppid), with
// rings that are prepared and never full. All system calls that a tracer finds between the markers
// come from log calls.
//
// usage: steady_logger RECORDS

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <unistd.h>

#include <ringside/ringside.hpp>
#include <sys/mman.h>
#include <sys/stat.h>

#include "shm-layout/ring_metadata.hpp"
#include "shm-layout/segment_layout.hpp"

namespace {

using namespace ringside;

constexpr std::uint32_t kThreads = 2;
// Far less than a ring: 64 records are under 8 KiB.
constexpr std::uint64_t kRecordsBetweenLooks = 64;

// Waits without a system call, which the tracer would find.
void spin() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// The segment as a consumer sees it, to find without a system call how full the rings are.
class FillLevel {
 public:
  bool open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (fd < 0 || fstat(fd, &info) != 0) return false;
    void* const base =
        mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (base == MAP_FAILED) return false;
    const auto* header = static_cast<const shm::SegmentHeader*>(base);
    const auto layout = shm::read_layout(*header, static_cast<std::uint64_t>(info.st_size));
    if (!layout) return false;
    ring_bytes_ = layout->ring_bytes;
    rings_ = reinterpret_cast<const shm::RingMetadata*>(static_cast<const char*>(base) +
                                                        layout->metadata_offset);
    return true;
  }

  void wait_below_half(std::uint32_t ring) const {
    const shm::RingMetadata& r = rings_[ring];
    while (r.producer.producer_pos.load(std::memory_order_acquire) -
               r.consumer.consumer_pos.load(std::memory_order_acquire) >
           ring_bytes_ / 2) {
      spin();
    }
  }

  std::uint32_t ring_of_this_thread() const {
    for (std::uint32_t i = 0; i < 1024; ++i) {
      if (rings_[i].identity.thread_id == static_cast<std::uint32_t>(gettid())) return i;
    }
    return 0;
  }

 private:
  const shm::RingMetadata* rings_ = nullptr;
  std::uint64_t ring_bytes_ = 0;
};

std::atomic<std::uint32_t> g_ready{0};
std::atomic<std::uint32_t> g_finished{0};
std::atomic<bool> g_go{false};
std::atomic<bool> g_leave{false};

void log_one(std::uint64_t i) {
  RS_INFO("record %" PRIu64 " of thread %d with '%s' and %f", i, 7, "some text",
          static_cast<double>(i));
}

void run(const FillLevel& fill, std::uint64_t records) {
  preallocate();  // takes the ring, and all its memory
  log_one(0);
  const std::uint32_t ring = fill.ring_of_this_thread();
  g_ready.fetch_add(1);
  while (!g_go.load()) spin();
  for (std::uint64_t i = 1; i <= records; ++i) {
    if (i % kRecordsBetweenLooks == 0) fill.wait_below_half(ring);
    log_one(i);
  }
  g_finished.fetch_add(1);
  while (!g_leave.load()) spin();
}

long count_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::uint64_t records = std::strtoull(argv[1], nullptr, 10);
  const Status status = init();
  FillLevel fill;
  if (status.state != State::live || !fill.open(status.segment_path)) return 1;
  std::thread first([&] { run(fill, records); });
  std::thread second([&] { run(fill, records); });
  while (g_ready.load() < kThreads) spin();
  const long threads_before = count_threads();
  getppid();
  g_go.store(true);
  while (g_finished.load() < kThreads) spin();
  getppid();
  const long threads_after = count_threads();
  g_leave.store(true);
  first.join();
  second.join();
  std::printf("threads_before=%ld threads_after=%ld dropped=%" PRIu64 "\n", threads_before,
              threads_after, ringside::status().dropped);
  return 0;
}
