#include "tools/ringcat/stats_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/query/stats_report.hpp"
#include "tools/query/trace_stats.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/progress_bar.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

struct StatsOptions {
  std::vector<std::string> paths;
  std::string from;
  FleetOptions fleet;
  std::string interval;
  std::string format = "text";
  StatsReportOptions report;
  FilterOptions filter;
};

std::optional<StatsOptions> parse(int argc, char** argv, int* exit_code) {
  StatsOptions options;
  CLI::App app("Counts records, bytes and losses by stream, statement and interval.",
               "ringcat stats");
  app.add_option("PATH", options.paths,
                 "trace files, or directories of them, or - for standard input")
      ->required();
  add_from_option(app, options.from);
  add_fleet_options(app, options.fleet);
  app.add_option("--interval", options.interval, "also count per interval, such as 500ms, 1s, 10m")
      ->type_name("DURATION");
  app.add_option("--top", options.report.top,
                 "number of statements in the table, those with the most records first; 0: all")
      ->capture_default_str();
  app.add_flag("--lost-only", options.report.lost_only,
               "only streams, statements and intervals with lost, truncated or late records, those "
               "with the most losses first");
  app.add_option("--most-rows", options.report.most_rows,
                 "in JSON, the most streams, statements and intervals, each; texts of 4,096 bytes "
                 "at most; left_out counts what is not there; 0: all")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--format", options.format, "format of the output")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  add_filter_options(app, options.filter);
  app.add_flag("--utc", options.report.utc, "print times in UTC instead of the local time zone");
  app.footer(
      "Ring bytes are the size of the records in shared memory: 8 for the header, and each\n"
      "argument in its natural size. Lost records are counted by cause, per stream and time, and\n"
      "per statement if the trace has this information (format 1.2). Truncated records (too\n"
      "large) and late records are present, not lost.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (see standard error), 2 invalid usage,\n"
      "3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? kExitOk : kExitUsage;
    return {};
  }
  if (!options.interval.empty()) {
    const auto interval_ns = parse_duration_ns(options.interval);
    if (!interval_ns || *interval_ns == 0) {
      complain("--interval " + options.interval +
               ": invalid duration; use a number and a unit, such as 500ms, 1s or 10m");
      *exit_code = kExitUsage;
      return {};
    }
    options.report.interval_ns = *interval_ns;
  }
  return options;
}

}  // namespace

int run_stats(int argc, char** argv) {
  const auto start = ProgressBar::Clock::now();
  int exit_code = kExitOk;
  auto options = parse(argc, argv, &exit_code);
  if (!options) return exit_code;
  std::string why;
  const auto filter = EventFilter::make(options->filter, unix_ns_now(), options->report.utc, &why);
  if (!filter) {
    complain(why);
    return kExitUsage;
  }
  FleetInputs fleet_inputs;
  if (!fleet_inputs.take(options->paths, options->fleet)) return kExitUnreadable;
  ForeignInputs inputs;
  if (!take_foreign_files(options->paths, options->from, inputs)) return kExitUnreadable;
  if (complain_of_unknown_names(
          options->paths,
          {options->filter, filter->where_fields(), {}, filter->where_properties()}))
    return kExitUsage;
  std::optional<ProgressBar> progress(std::in_place, options->paths, start,
                                      ProgressBar::Output::kNothing);
  trace::ReadError error;
  trace::ReadOptions reading = filter->read_options();
  reading.site_losses = reading.losses;
  std::optional<trace::TraceSet> set = trace::TraceSet::open(options->paths, reading, &error);
  if (!set) {
    complain(error.text());
    return kExitUnreadable;
  }
  TraceStats stats(options->report.interval_ns);
  RecordFilter records(*filter);
  trace::Event event;
  while (set->next(event)) {
    if (filter->wants_service(*event.segment) && records.wanted(event)) stats.add(event);
    progress->show(set->report().bytes_read);
  }
  progress.reset();
  const std::string text = options->format == "json"
                               ? stats_as_json(stats, set->report(), options->report)
                               : stats_as_tables(stats, set->report(), options->report);
  for (const std::string& note : filter->notes()) complain(note);
  if (!write_output(text)) return exit_code_of_failed_output(errno);
  exit_code = complain_of_damage(set->report());
  return std::max(exit_code, complain_of(inputs.diagnostics()));
}

}  // namespace ringside::tool
