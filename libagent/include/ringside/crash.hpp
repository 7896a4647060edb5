#pragma once
/// @file
/// The last record of a process that crashes, for C++17 and later. C has rs_install_crash_handler()
/// in <ringside/ringside.h>.

#include "abi.h"

namespace ringside {

/// Installs handlers of the signals of crashes, which leave a last record of the process.
///
///     int main() {
///       ringside::install_crash_handler();
///
/// SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP and std::terminate record an event
/// `ringside.crash` of level critical: the signal and its cause, the fault's address, registers,
/// the return addresses on the stack of the thread, and the type and text of an exception. Events
/// `ringside.module` before it name the program and libraries of these addresses. `ringcat crash`
/// prints them with names of functions. A process that ends by exit() or by returning from main
/// records `ringside.exit`.
///
/// The process then ends, or continues, as it would have without this: the handler that was
/// installed before is called, on the same stack; without one, the process ends by the same signal,
/// with the same core dump. Handlers that the service installs later replace these, unless they
/// call the former ones.
///
/// The calling thread gets an alternate signal stack if it has none, and so does each thread that
/// takes a ring from now on, with its first record or by preallocate(): a stack that overflows is
/// recorded too. Call it in main, before other threads log. A thread that logged before gets one by
/// calling this function again, which changes nothing else. Alternate stacks of the service are
/// used as they are, and need 32 KiB.
///
/// Nothing is recorded of a crash while the signal is blocked, of a crash in a child of fork() that
/// has not logged yet, nor if the level disables critical events.
///
/// @return false if a handler could not be installed, or if there is no segment or no memory:
/// crashes may then leave no record
/// @par Thread safety
/// Can be called from any thread; not in a signal handler. Blocks for a few milliseconds at most.
/// The handlers do not allocate and take some milliseconds. A thread that has not logged yet takes
/// a ring, for which it waits two seconds at most; if the ring is full, it waits for space as a log
/// call does.
RS_EXPORT bool install_crash_handler() noexcept;

}  // namespace ringside
