#pragma once
// The measuring programs that the driver knows.

#include <span>
#include <string_view>

namespace ringside::perf {

enum class Speaks {
  kLines,            // prints result lines; options --quick --repeats --row
  kGoogleBenchmark,  // prints its JSON; has its own options
  kIntegration,      // result lines; options --quick --rounds, --build with the build folder
};

struct Program {
  std::string_view path;  // below the driver's own folder; a script: below the tree's perf/
  Speaks speaks;
  std::string_view subject;  // empty: several subjects
  std::span<const std::string_view> rows;
  std::string_view absent;  // why it may be missing
};

// In the order in which they run.
std::span<const Program> programs();

// Rows that no program measures yet.
struct MissingRow {
  std::string_view row;
  std::string_view reason;
};
std::span<const MissingRow> missing_rows();

}  // namespace ringside::perf
