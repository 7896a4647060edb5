#pragma once
// The command line that all measuring programs share: --quick, --repeats N, --row NAME, --case
// NAME.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/harness/messages.hpp"
#include "perf/harness/result_line.hpp"

namespace ringside::perf {

struct RunOptions {
  bool quick = false;             // a tenth of the work, to check that it runs
  int repeats = 5;                // of each measurement that is repeated
  std::vector<std::string> rows;  // empty: all
  std::vector<std::string> cases;

  bool wants_row(std::string_view row) const { return wants(rows, row); }
  bool wants_case(Case message) const { return wants_case(name_of(message)); }
  bool wants_case(std::string_view name) const { return wants(cases, name); }
  // `full`, or the share of it that --quick leaves.
  int scaled(int full) const { return quick ? std::max(full / 10, 1) : full; }
  int repeats_or_one() const { return quick ? 1 : repeats; }

 private:
  static bool wants(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
};

// Empty if the process must exit at once with `*exit_code`: after --help, or after invalid usage,
// which has been reported.
std::optional<RunOptions> parse_run_options(int argc, char** argv, const char* description,
                                            int* exit_code);

}  // namespace ringside::perf
