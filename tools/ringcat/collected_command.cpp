#include "tools/ringcat/collected_command.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/query/collected_report.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/text/help_format.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/reader/collection_history.hpp"

namespace ringside::tool {

int run_collected(int argc, char** argv) {
  std::vector<std::string> paths;
  std::string from;
  std::string format = "text";
  CollectedReportOptions options;
  CLI::App app(
      "Shows what was collected over time: level, disabled statements, overflow policy, rules for\n"
      "samples and hidden values, and each change with its time and author.",
      "ringcat collected");
  app.add_option("PATH", paths, "trace files, or directories of them, or - for standard input")
      ->required();
  add_from_option(app, from);
  FleetOptions fleet;
  add_fleet_options(app, fleet);
  app.add_option("--service", options.services, "services of this name (glob; repeatable)")
      ->type_name("GLOB");
  app.add_option("--format", format, "format of the output; json: one object per line")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--utc", options.utc, "print times in UTC instead of the local time zone");
  app.footer(
      "Authors are as the programs named themselves: user, user id and process.\n"
      "Files before format 1.3 do not state what was collected.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (see standard error), 2 invalid usage, or\n"
      "a service that no trace has, 3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  FleetInputs fleet_inputs;
  if (!fleet_inputs.take(paths, fleet)) return kExitUnreadable;
  ForeignInputs inputs;
  if (!take_foreign_files(paths, from, inputs)) return kExitUnreadable;
  trace::ReadError error;
  const auto files = trace::query::files_of(paths, &error);
  if (!files) {
    complain(error.text());
    return kExitUnreadable;
  }
  trace::CollectionHistory history;
  for (const std::string& file : *files) {
    if (history.add(file, &error)) continue;
    complain(error.text());
    return kExitUnreadable;
  }
  history.finish();
  if (!has_service(history, options)) {
    complain(fmt::format("--service {}: no trace has such a service",
                         fmt::join(options.services, ", ")));
    return kExitUsage;
  }
  const std::string text =
      format == "json" ? collected_as_json(history, options) : collected_as_text(history, options);
  if (!write_output(text)) return exit_code_of_failed_output(errno);
  return std::max({complain_of_damage(history.report()), complain_of(inputs.diagnostics()),
                   fleet_inputs.exit_code()});
}

}  // namespace ringside::tool
