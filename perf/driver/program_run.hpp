#pragma once
// Runs a program to its end, within a time limit.

#include <chrono>
#include <string>
#include <vector>

namespace ringside::perf {

struct ProgramRun {
  int status = -1;  // exit status, or 128 + signal; -1: not started
  bool timed_out = false;
  std::string output;
  std::string errors;  // standard error
};

// `arguments` begin with the program's path. After `limit`, the program and all processes that it
// has started (its process group) get SIGTERM, and SIGKILL two seconds later. Standard error is
// forwarded as it arrives, and also returned.
ProgramRun run_program(const std::vector<std::string>& arguments, std::chrono::seconds limit);

// The last line of `text` that is not blank.
std::string last_line(const std::string& text);

}  // namespace ringside::perf
