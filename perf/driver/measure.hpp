#pragma once
// Runs the measuring programs one after another.

#include <filesystem>
#include <string>
#include <vector>

#include "perf/driver/result.hpp"

namespace ringside::perf {

struct Plan {
  bool quick = false;
  int repeats = 5;
  std::vector<std::string> rows;         // empty: all
  std::vector<std::string> subjects;     // empty: all
  std::filesystem::path program_folder;  // of the driver; the programs are in or below it
  std::filesystem::path script_folder;   // perf/ of the tree
};

// Measures everything that `plan` selects and compares it with the targets. If a program fails,
// hangs or is missing, its rows are recorded as not measured, with the reason. Returns false if a
// program ran but its figures do not count, or its output was invalid.
bool measure(const Plan& plan, Results& results);

}  // namespace ringside::perf
