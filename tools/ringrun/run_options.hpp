#pragma once
// The command line of ringrun.

#include <optional>
#include <string>
#include <vector>

namespace ringside::tool {

struct RunOptions {
  std::string level;                  // of the service; empty: its own
  std::string keep;                   // directory for the trace files; empty: they are removed
  bool records_to_stdout = false;     // otherwise to standard error
  std::vector<std::string> printing;  // options for ringcat
  std::vector<std::string> program;   // and its arguments
};

// Empty if the process must end at once with `*exit_status`.
std::optional<RunOptions> parse_run_options(int argc, char** argv, int* exit_status);

}  // namespace ringside::tool
