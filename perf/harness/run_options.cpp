#include "perf/harness/run_options.hpp"

#include <CLI/CLI.hpp>

namespace ringside::perf {

std::optional<RunOptions> parse_run_options(int argc, char** argv, const char* description,
                                            int* exit_code) {
  RunOptions options;
  CLI::App app(description);
  app.add_flag("--quick", options.quick, "a tenth of the work, to check that it runs");
  app.add_option("--repeats", options.repeats, "number of repeats")->check(CLI::Range(1, 1000));
  app.add_option("--row", options.rows, "only this row (repeatable)");
  app.add_option("--case", options.cases, "only this message (repeatable)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? kExitOk : kExitUsage;
    return {};
  }
  return options;
}

}  // namespace ringside::perf
