#pragma once
// Runs a program to its end and keeps what it prints.

#include <chrono>
#include <string>

#include "perf/harness/child_process.hpp"

namespace ringside::perf {

struct ProgramRun {
  int status = -1;  // exit status, or 128 + signal; 127: not started
  bool timed_out = false;
  std::string output;
  std::string errors;  // standard error
};

enum class ErrorOutput { kKeep, kKeepAndForward };

// After `limit`, the program and all processes that it has started (its process group) get SIGTERM,
// and SIGKILL two seconds later.
ProgramRun run_program(Launch launch, std::chrono::seconds limit, ErrorOutput error_output);

// The last line of `text` that is not blank.
std::string last_line(const std::string& text);

}  // namespace ringside::perf
