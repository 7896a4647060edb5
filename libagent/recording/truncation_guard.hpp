#pragma once
// Survives the truncation of a segment by another process that may write to it.
//
// A file with a name has no seals: a process that may write to it can truncate it. From then on an
// access to a page after its end raises SIGBUS. The handler puts private memory in the place of the
// missing part, marks the segment, and lets the access continue: the running call ends as usual,
// and the next one moves its thread to a new segment (segment_succession.hpp).
//
//   fault in       private memory in its place         the thread
//   a ring         all copies of that ring, zeros      publishes to a private word from now on
//   the head       everything before the rings; all    the same; every log statement takes the slow
//                  switches have the value             path, because its switch is not set
//                  "unregistered"
//
// Two threads may put memory in the same place one after the other. Nothing that is written there
// is used again.

#include <csignal>

namespace ringside {

struct Options;
struct Segment;

bool wants_truncation_guard(const Options& options);

// Installs the handler of SIGBUS, once for the process. Signals that have nothing to do with a
// segment go to the handler that was there before. Lock held: the calling thread can receive SIGBUS
// until the lock is released.
void install_truncation_guard();
bool is_truncation_guard_installed();

// The segment that is being created, which no other thread knows yet; and its end, if that fails.
// In the child of a fork: forgets the segment of the parent.
void guard_new(Segment& segment);
void forget_guarded(const Segment& segment);
void forget_guarded();

// The calling thread can receive SIGBUS from now on, if its handler is ours: the kernel ends a
// process when a fault raises it while it is blocked.
void unblock_sigbus();

// The same for the time of a call.
class SigbusUnblocked {
 public:
  SigbusUnblocked();
  ~SigbusUnblocked();
  SigbusUnblocked(const SigbusUnblocked&) = delete;
  SigbusUnblocked& operator=(const SigbusUnblocked&) = delete;

 private:
  sigset_t saved_{};
  bool is_changed_ = false;
};

}  // namespace ringside
