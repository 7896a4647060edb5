#pragma once
// The priority of threads whose work can wait for that of services.

namespace ringside::consumer {

// Lowers the calling thread's priority to a weight of 110 against the 1024 of a service: with
// SCHED_IDLE (3) or nice 19 (15), the thread would make no progress for minutes on a busy machine
// while the disk fills. The kernel may refuse any part of it. The thread may run on every
// processor, because --cpu applies only to the poll loop.
void run_at_low_priority();

}  // namespace ringside::consumer
