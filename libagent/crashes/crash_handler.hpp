#pragma once
// The handlers of signals by which a process crashes. Each leaves the last record of the process;
// then the process ends, or goes on, as without them.
//
//   signal ── SIGBUS of a truncated segment? ──> repaired (truncation_guard.hpp)
//     │
//   the first thread: modules, then the crash        a second thread: waits for the first
//     │                                              a fault of the first one: the end, at once
//   the former handler, or the default action

namespace ringside {

// Once for the process; gives the calling thread an alternate stack each time. False if a handler
// could not be installed, or if there is no segment or no memory: records of crashes may then be
// missing.
bool install_crash_handlers();

}  // namespace ringside
