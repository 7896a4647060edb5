#include "tools/ringcat_options.hpp"

#include <algorithm>
#include <thread>

#include <CLI/CLI.hpp>

namespace ringside::tool {

std::optional<RingcatOptions> parse_ringcat_options(int argc, char** argv, int* exit_code) {
  RingcatOptions options;
  CLI::App app("Prints the records of trace files in the order of time.", "ringcat");
  app.set_version_flag("--version", "ringcat " RINGSIDE_VERSION);
  app.add_option("PATH", options.paths, "trace files, or directories of *.ringtrace files")
      ->required();
  app.add_flag("--utc", options.utc, "times in UTC instead of the local time zone");
  // More than a few find nothing to do: one thread reads for all of them.
  options.threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  app.add_option("--threads", options.threads, "threads that read and format")
      ->check(CLI::Range(1U, 64U))
      ->capture_default_str();
  app.footer(
      "One line a record:\n"
      "  2026-11-20 21:35:16.554575617 orders.cc:31 NOTICE [4711 worker-2] the message\n"
      "where 4711 is the thread. Records that were dropped show as a line of level LOST in\n"
      "their place; a message whose strings were cut ends in \" [cut]\".\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (said on standard error), 2 wrong usage,\n"
      "3 nothing could be read.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? kExitOk : kExitUsage;
    return {};
  }
  return options;
}

}  // namespace ringside::tool
