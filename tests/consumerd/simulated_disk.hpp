#pragma once
// A disk that fails by a seed, below everything of consumerd that writes: it is the io_uring of the
// staging slots (a WriteQueue), and the system calls by which section fronts and recovered slots
// are written, which the program that links this file replaces. Its clock is the program's: to
// sleep is to go on to the next step, so nothing here waits.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "consumerd/write_queue.hpp"

namespace ringside::consumer_test {

enum class Fault : unsigned {
  kShortWrite,
  kInterrupted,   // EINTR of a write or of a wait
  kTryAgain,      // EAGAIN of a write
  kQueueFull,     // no room in the submission queue
  kNotSubmitted,  // io_uring_enter fails: EAGAIN, EBUSY, EINTR
  kReordered,     // finished before one that was begun earlier
  kNoSpace,
  kIoError,
  kReadOnly,
  kNoAnswer,  // a write that is under way for seconds
  kNoFile,    // a file that cannot be made or renamed
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

// What goes wrong at present.
struct DiskState {
  unsigned flaky_permille = 0;  // of all operations: what passes
  int error = 0;                // of every write and every file that is to be made
  std::string only_files_of;    // with `error`: only of files whose names begin with that
  bool answers = true;
};

// One in a process, from set_up() on.
class SimulatedDisk {
 public:
  // Only files below `directory` fail. `step` runs whenever the program sleeps, waits or writes.
  static void set_up(std::uint64_t seed, const std::string& directory, FaultCounts* counts,
                     std::function<void()> step);
  static DiskState& state();
  // Of the io_uring, since the last change of state(): failures that do not pass by themselves.
  static std::uint64_t lasting_failures();
  static std::unique_ptr<consumer::WriteQueue> make_queue();
};

}  // namespace ringside::consumer_test
