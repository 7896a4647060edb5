#pragma once
// Records of signal handlers that interrupted a log call of their thread, and log calls that a
// handler never returns to (siglongjmp).
//
// The record path detects a nested record: another record starts at `published`. Such a record
// takes the slow path, where its bytes are noted as complete (shm-layout/nested_records.hpp), so
// that it is found if the process dies before the interrupted call publishes. If there is no
// handler on the stack, the interrupted call does not exist any more either: its bytes become a
// pad, it is counted as abandoned, and the records since then are published.
//
//   published                                              pos
//   ----|-- interrupted --|== whole ==|-- interrupted --|== whole ==|
//
// A call without a handler on the stack can also run inside a call that was not abandoned: it comes
// from an allocator that the library calls. reentry_guard.hpp distinguishes this case.

#include <cstdint>

#include "libagent/recording/agent.hpp"
#include "shm-layout/nested_records.hpp"

namespace ringside {

// The calling thread takes a ring with these words. Signals are blocked.
void begin_nesting(shm::NestedRecords& words);

// Log calls in the slow path, and those of them that hold reserved bytes. Abandoned calls without
// reserved bytes are counted by these numbers, the others by the gaps that they leave.
inline constinit thread_local std::uint64_t t_reserving = 0;
inline constinit thread_local std::uint64_t t_holding = 0;

// Counts abandoned calls of this thread and publishes the records since then, unless the caller
// itself may run in a signal handler of such a call. Call before the present call has reserved
// anything.
void settle_abandoned_calls();
// For a thread that ends; signals blocked.
void settle_at_thread_end();

// Publishes the complete records of a dead thread, and skips the rest. Lock held.
void publish_nested_of_dead_thread(Segment& segment, std::uint32_t index);

}  // namespace ringside
