#include "simulated_disk.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <set>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

namespace ringside::consumer_test {
namespace {

using consumer::WriteCompletion;
using consumer::WriteRequest;

struct Disk {
  std::mt19937_64 random;
  std::string directory;
  FaultCounts* counts = nullptr;
  std::function<void()> step;
  DiskState state;
  std::uint64_t lasting_failures = 0;
  bool stepping = false;
};

// Null while the program runs on the real clock and the real disk.
Disk* g_disk = nullptr;
std::int64_t g_slept_ns = 0;

void count(Fault fault) {
  ++(*g_disk->counts)[static_cast<std::size_t>(fault)];
}

bool chance(unsigned permille) {
  return g_disk->random() % 1000 < permille;
}

void step() {
  if (g_disk == nullptr || g_disk->stepping) return;
  g_disk->stepping = true;
  g_disk->step();
  g_disk->stepping = false;
}

// Up to ten times the requested time: seconds matter as much as microseconds.
void sleep_for_ns(std::int64_t ns) {
  g_slept_ns += 10 * ns;
  step();
}

bool is_ours(const std::string& path) {
  return g_disk != nullptr && !g_disk->stepping && path.starts_with(g_disk->directory + "/") &&
         path.substr(g_disk->directory.size() + 1).starts_with(g_disk->state.only_files_of);
}

// Paths by descriptor, as they were opened: the sandbox has no /proc to ask.
std::map<int, std::string> g_paths;

std::string path_of(int fd) {
  const auto found = g_paths.find(fd);
  return found == g_paths.end() ? std::string() : found->second;
}

// -errno, or the number of bytes of this write that are written.
std::int32_t fate_of_write(std::uint32_t bytes, bool fails) {
  if (fails) {
    ++g_disk->lasting_failures;
    count(g_disk->state.error == ENOSPC  ? Fault::kNoSpace
          : g_disk->state.error == EROFS ? Fault::kReadOnly
                                         : Fault::kIoError);
    return -g_disk->state.error;
  }
  if (chance(g_disk->state.flaky_permille)) {
    switch (g_disk->random() % 3) {
      case 0:
        count(Fault::kInterrupted);
        return -EINTR;
      case 1:
        count(Fault::kTryAgain);
        return -EAGAIN;
      default:
        count(Fault::kShortWrite);
        return static_cast<std::int32_t>(1 + g_disk->random() % bytes);
    }
  }
  return static_cast<std::int32_t>(bytes);
}

class SimulatedQueue final : public consumer::WriteQueue {
 public:
  bool register_slot(std::uint32_t /*slot*/, std::byte* /*data*/, std::size_t /*bytes*/) override {
    return chance(500);
  }

  bool push(const WriteRequest& request, bool /*registered*/) override {
    EXPECT_GT(request.bytes, 0U);
    for (const auto* queue : {&queued_, &under_way_}) {
      for (const WriteRequest& other : *queue) EXPECT_NE(other.slot, request.slot);
    }
    if (chance(g_disk->state.flaky_permille)) {
      count(Fault::kQueueFull);
      return false;
    }
    queued_.push_back(request);
    return true;
  }

  std::uint32_t unsent() const override { return static_cast<std::uint32_t>(queued_.size()); }

  int submit() override {
    if (chance(g_disk->state.flaky_permille)) {
      count(Fault::kNotSubmitted);
      constexpr std::array<int, 3> kErrors = {EAGAIN, EBUSY, EINTR};
      return -kErrors[g_disk->random() % kErrors.size()];
    }
    // Possibly not all of them.
    std::size_t taken = queued_.size();
    if (taken > 1 && chance(g_disk->state.flaky_permille)) taken = 1 + g_disk->random() % taken;
    const auto end = queued_.begin() + static_cast<std::ptrdiff_t>(taken);
    under_way_.insert(under_way_.end(), queued_.begin(), end);
    queued_.erase(queued_.begin(), end);
    step();
    return static_cast<int>(taken);
  }

  int wait(std::chrono::milliseconds bound) override {
    if (chance(g_disk->state.flaky_permille)) {
      count(Fault::kInterrupted);
      return -EINTR;
    }
    sleep_for_ns(g_disk->state.answers ? 100'000 : bound.count() * 1'000'000);
    return g_disk->state.answers && !under_way_.empty() ? 0 : -ETIME;
  }

  bool pop(WriteCompletion* completion) override {
    if (under_way_.empty()) return false;
    if (!g_disk->state.answers) {
      for (const WriteRequest& request : under_way_) {
        if (unanswered_.insert(request.slot).second) count(Fault::kNoAnswer);
      }
      return false;
    }
    unanswered_.clear();
    if (chance(200)) return false;
    const std::size_t at = g_disk->random() % under_way_.size();
    if (at != 0) count(Fault::kReordered);
    const WriteRequest request = under_way_[at];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(at));
    const bool fails = g_disk->state.error != 0 && is_ours(path_of(request.fd));
    std::int32_t result = fate_of_write(request.bytes, fails);
    if (result > 0) {
      result = static_cast<std::int32_t>(syscall(SYS_pwrite64, request.fd, request.data,
                                                 static_cast<std::size_t>(result), request.offset));
      EXPECT_GT(result, 0) << std::strerror(errno);
    }
    *completion = {request.slot, result};
    return true;
  }

 private:
  std::vector<WriteRequest> queued_;
  std::vector<WriteRequest> under_way_;
  std::set<std::uint32_t> unanswered_;  // writes without an answer, as counted
};

// Whether creating or renaming a file of this name fails now; if so, errno says why.
bool refuses_file(const std::string& path) {
  if (!is_ours(path)) return false;
  step();
  if (g_disk->state.error == 0) return false;
  count(Fault::kNoFile);
  errno = g_disk->state.error;
  return true;
}

}  // namespace

void SimulatedDisk::set_up(std::uint64_t seed, const std::string& directory, FaultCounts* counts,
                           std::function<void()> step) {
  g_disk = new Disk{std::mt19937_64(seed), directory, counts, std::move(step), {}, 0, false};
}

DiskState& SimulatedDisk::state() {
  g_disk->lasting_failures = 0;
  return g_disk->state;
}

std::uint64_t SimulatedDisk::lasting_failures() {
  return g_disk->lasting_failures;
}

std::unique_ptr<consumer::WriteQueue> SimulatedDisk::make_queue() {
  return std::make_unique<SimulatedQueue>();
}

}  // namespace ringside::consumer_test

// These replace the library's functions for the whole program.
extern "C" {

using namespace ringside::consumer_test;

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (g_slept_ns != 0 && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME)) {
    const std::int64_t ns = time->tv_nsec + g_slept_ns % 1'000'000'000;
    time->tv_sec += g_slept_ns / 1'000'000'000 + ns / 1'000'000'000;
    time->tv_nsec = ns % 1'000'000'000;
  }
  return result;
}

int nanosleep(const timespec* duration, timespec* rest) {
  if (g_disk == nullptr) return static_cast<int>(syscall(SYS_nanosleep, duration, rest));
  sleep_for_ns(duration->tv_sec * 1'000'000'000 + duration->tv_nsec);
  return 0;
}

ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  if (g_disk != nullptr && bytes > 0) {
    const std::string path = path_of(fd);
    if (path.starts_with(g_disk->directory + "/")) {
      step();
      const bool fails = g_disk->state.error != 0 && is_ours(path);
      // A new file that cannot be created does not stall the segment: the previous file continues.
      if (fails && path.ends_with(".new")) {
        count(Fault::kNoFile);
        errno = g_disk->state.error;
        return -1;
      }
      const std::int32_t fate = fate_of_write(static_cast<std::uint32_t>(bytes), fails);
      // A regular file never returns EAGAIN.
      if (fate < 0) {
        errno = fate == -EAGAIN ? EINTR : -fate;
        return -1;
      }
      bytes = static_cast<size_t>(fate);
    }
  }
  return syscall(SYS_pwrite64, fd, data, bytes, offset);
}

// Opens the files that other processes must not exchange. As in the C library, six arguments are
// read whatever the call has; AddressSanitizer would report those that are absent.
__attribute__((no_sanitize("address"))) long syscall(long number, ...) noexcept {
  using Real = long (*)(long, ...);
  static const auto real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, "syscall"));
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  const bool opens = number == SYS_openat2 && static_cast<int>(arguments[0]) == AT_FDCWD;
  const std::string path = opens ? reinterpret_cast<const char*>(arguments[1]) : "";
  if (opens && (reinterpret_cast<const open_how*>(arguments[2])->flags & O_CREAT) != 0 &&
      refuses_file(path)) {
    return -1;
  }
  const long result = real(number, arguments[0], arguments[1], arguments[2], arguments[3],
                           arguments[4], arguments[5]);
  if (opens && result >= 0) g_paths[static_cast<int>(result)] = path;
  return result;
}

int renameat2(int from_dir, const char* from, int to_dir, const char* to, unsigned flags) noexcept {
  if (refuses_file(to)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_dir, from, to_dir, to, flags));
}
}
