#include "tools/ringcat/rewriting_commands.hpp"

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/files/replaced_input.hpp"
#include "tools/files/trace_rewriting.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/time_argument.hpp"

namespace ringside::tool {
namespace {

// False if the process must end at once with `*exit_code`.
bool parse(CLI::App& app, int argc, char** argv, int* exit_code) {
  app.footer(
      "Exit status: 0 success, 1 success, but damage was left out (see standard error),\n"
      "2 invalid usage, 3 a file could not be read or written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? kExitOk : kExitUsage;
    return false;
  }
}

void add_paths(CLI::App& app, Rewriting& rewriting, FleetOptions& fleet) {
  app.add_option("IN", rewriting.inputs, "trace files, packed or not, or directories of them")
      ->required();
  app.add_option("-o,--output", rewriting.output, "file to write")->type_name("OUT")->required();
  app.add_flag("--force", rewriting.force, "replace OUT if it exists");
  add_fleet_options(app, fleet);
}

int rewrite(const Rewriting& rewriting) {
  if (const std::string fault = fault_of_replaced_input(rewriting.output, rewriting.inputs);
      !fault.empty()) {
    complain(fault);
    return kExitUsage;
  }
  trace::ReadReport report;
  std::string error;
  const bool done = rewrite_traces(rewriting, report, &error);
  for (const trace::ReadError& note : report.notes) complain(note.text());
  if (report.further_notes > 0) complain(fmt::format("{} further notes", report.further_notes));
  if (!done) {
    complain(error);
    return kExitUnreadable;
  }
  const bool damaged = report.damaged_blocks != 0 || report.damaged_bytes != 0;
  return damaged || report.damaged_frames != 0 ? kExitDamaged : kExitOk;
}

int rewrite_with_fleet(Rewriting& rewriting, const FleetOptions& fleet) {
  FleetInputs inputs;
  if (!inputs.take(rewriting.inputs, fleet)) return kExitUnreadable;
  return std::max(rewrite(rewriting), inputs.exit_code());
}

}  // namespace

int run_repair(int argc, char** argv) {
  Rewriting rewriting;
  std::string input;
  CLI::App app(
      "Copies the intact parts of a damaged trace file into a new file, whose sections end with "
      "INDEX and END. Lost records remain gaps in the sequence numbers of their thread and show as "
      "LOST.",
      "ringcat repair");
  app.add_option("IN", input, "a trace file, packed or not")->required();
  app.add_option("OUT", rewriting.output, "file to write")->required();
  app.add_flag("--force", rewriting.force, "replace OUT if it exists");
  int exit_code = kExitOk;
  if (!parse(app, argc, argv, &exit_code)) return exit_code;
  rewriting.inputs = {input};
  return rewrite(rewriting);
}

int run_slice(int argc, char** argv) {
  Rewriting rewriting;
  FilterOptions filter;
  bool utc = false;
  CLI::App app(
      "Writes the records of a time range, of services or of threads into a self-contained file.",
      "ringcat slice");
  FleetOptions fleet;
  add_paths(app, rewriting, fleet);
  app.add_option("--since", filter.since, "records since this time; see ringcat --help")
      ->type_name("TIME");
  app.add_option("--until", filter.until, "records before this time")->type_name("TIME");
  app.add_option("--service", filter.services, "records of services with this name")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--thread", filter.threads, "records of threads with this id or name")
      ->type_name("ID|GLOB")
      ->allow_extra_args(false);
  app.add_flag("--utc", utc, "read times without a zone as UTC");
  int exit_code = kExitOk;
  if (!parse(app, argc, argv, &exit_code)) return exit_code;
  std::string why;
  const auto events = EventFilter::make(filter, unix_ns_now(), utc, &why);
  if (events == nullptr) {
    complain(why);
    return kExitUsage;
  }
  rewriting.cut = events->read_options();
  return rewrite_with_fleet(rewriting, fleet);
}

int run_merge(int argc, char** argv) {
  Rewriting rewriting;
  CLI::App app("Merges trace files into one, including files of different services and hosts.",
               "ringcat merge");
  FleetOptions fleet;
  add_paths(app, rewriting, fleet);
  int exit_code = kExitOk;
  return parse(app, argc, argv, &exit_code) ? rewrite_with_fleet(rewriting, fleet) : exit_code;
}

}  // namespace ringside::tool
