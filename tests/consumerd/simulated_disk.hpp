#pragma once
// A disk that fails by a seed, below every part of consumerd that writes. It replaces the io_uring
// of the staging slots (a WriteQueue), and the system calls that write section fronts and recovered
// slots, in the program that links this file. It has its own clock: a sleep advances it to the next
// step, so nothing waits here.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "consumerd/write/write_queue.hpp"

namespace ringside::consumer_test {

enum class Fault : unsigned {
  kShortWrite,
  kInterrupted,   // EINTR of a write or of a wait
  kTryAgain,      // EAGAIN of a write
  kQueueFull,     // no room in the submission queue
  kNotSubmitted,  // io_uring_enter fails: EAGAIN, EBUSY, EINTR
  kReordered,     // finished before one that was started earlier
  kNoSpace,
  kIoError,
  kReadOnly,
  kNoAnswer,  // a write that takes seconds
  kNoFile,    // a file that cannot be created or renamed
  kCount
};
inline constexpr std::array<const char*, static_cast<std::size_t>(Fault::kCount)> kFaultNames = {
    "short writes",
    "EINTR",
    "EAGAIN",
    "submission queue full",
    "submission refused",
    "completions out of order",
    "ENOSPC",
    "EIO",
    "EROFS",
    "no answer",
    "file not made"};
using FaultCounts = std::array<std::uint64_t, static_cast<std::size_t>(Fault::kCount)>;

// The failures that happen at present.
struct DiskState {
  unsigned flaky_permille = 0;  // of all operations: transient failures
  int error = 0;                // of every write and every creation of a file
  std::string only_files_of;    // with `error`: only for files whose names begin with this
  bool answers = true;
};

// One per process, from set_up() on.
class SimulatedDisk {
 public:
  // Only files below `directory` fail. `step` runs whenever the program sleeps, waits or writes.
  static void set_up(std::uint64_t seed, const std::string& directory, FaultCounts* counts,
                     std::function<void()> step);
  static DiskState& state();
  // Failures of the io_uring, since the last change of state(), that do not pass by themselves.
  static std::uint64_t lasting_failures();
  static std::unique_ptr<consumer::WriteQueue> make_queue();
};

}  // namespace ringside::consumer_test
