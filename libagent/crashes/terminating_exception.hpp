#pragma once
// The exception for which std::terminate was called, for the record of the crash.

#include <string_view>

namespace ringside {

struct TerminatingException {
  std::string_view type;  // mangled; empty: std::terminate was called without an exception
  std::string_view what;  // of a std::exception
};

// Adds a handler of std::terminate, before the present one. `record` is called in it, for a process
// whose own handler may end it without a signal. Otherwise the SIGABRT that follows records the
// crash.
void install_terminate_handler(void (*record)());
// Unless another one has been installed since.
void uninstall_terminate_handler();

// Whether the calling thread is within the handler, and what it found.
bool is_terminating();
TerminatingException terminating_exception();

}  // namespace ringside
