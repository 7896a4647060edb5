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
  std::filesystem::path program_folder;  // of the driver and, below it, of the programs
  std::filesystem::path script_folder;   // perf/ of the tree
};

// All that `plan` asks for, compared with the targets. A program that fails, hangs or is not there
// costs its rows, and says why. False if a program that ran found that its figures do not count, or
// broke the rules.
bool measure(const Plan& plan, Results& results);

}  // namespace ringside::perf
