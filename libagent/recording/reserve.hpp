#pragma once
// The state of a reservation's slow path for the calling thread's ring.

namespace ringside {

// The next record of this thread begins a lap: the clock record of the present one may be missing.
void begin_lap_next();

// From now on no log call of this thread checks the segment's file: it may run in a seccomp filter
// that forbids the system calls.
void stop_checks_of_this_thread();

}  // namespace ringside
