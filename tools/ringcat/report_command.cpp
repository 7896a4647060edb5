#include "tools/ringcat/report_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/files/output_file.hpp"
#include "tools/files/replaced_input.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/report/compared_trace.hpp"
#include "tools/report/known_moments.hpp"
#include "tools/report/report_builder.hpp"
#include "tools/report/report_page.hpp"
#include "tools/report/wanted_records.hpp"
#include "tools/ringcat/conversion_options.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/progress_bar.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

constexpr const char* kEarlier = "earlier trace: ";

struct ReportOptions {
  std::vector<std::string> paths;
  std::vector<std::string> against;
  std::string from;
  FleetOptions fleet;
  std::string output;
  std::string title;
  bool is_json = false;
  FilterOptions filter;
};

std::optional<ReportOptions> parse_report(int argc, char** argv, int* exit_code) {
  ReportOptions options;
  CLI::App app(
      "Makes one HTML page of a trace. It opens in any browser and requests nothing from a "
      "network.",
      "ringcat report");
  app.add_option("PATH", options.paths,
                 "trace files, or directories of them, or - for standard input")
      ->required();
  add_from_option(app, options.from);
  add_fleet_options(app, options.fleet);
  app.add_option("-o,--output", options.output,
                 "the page; an existing one is replaced; - is standard output")
      ->type_name("FILE");
  app.add_option("--against", options.against,
                 "an earlier trace: show what changed since; give it again for more files")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_option("--title", options.title, "headline; default: the paths")->type_name("TEXT");
  app.add_flag("--json", options.is_json, "the data of the page, for programs");
  add_filter_options(app, options.filter);
  app.footer(
      "Without -o, the page goes to standard output, which must not be a terminal.\n"
      "tools/report/README.md describes the data.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (the page tells where), 2 invalid usage,\n"
      "3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    *exit_code = app.exit(error) == 0 ? kExitOk : kExitUsage;
    return {};
  }
  if (options.output == "-") options.output.clear();
  if (options.output.empty() && !options.is_json && output_is_terminal()) {
    complain("a page is not for a terminal; name a file: ringcat report -o report.html PATH");
    *exit_code = kExitUsage;
    return {};
  }
  for (const std::vector<std::string>& inputs : {options.paths, options.against}) {
    const std::string fault = fault_of_replaced_input(options.output, inputs);
    if (fault.empty()) continue;
    complain(fault);
    *exit_code = kExitUsage;
    return {};
  }
  return options;
}

// "orders, two.ringtrace"
std::string title_of(const std::vector<std::string>& paths) {
  std::string title;
  for (const std::string& path : paths) {
    if (!title.empty()) title += ", ";
    const std::filesystem::path plain = std::filesystem::path(path).lexically_normal();
    title += plain.has_filename() ? plain.filename() : plain.parent_path().filename();
  }
  return title;
}

int write_report(const std::string& text, const std::string& path) {
  if (path.empty()) return write_output(text) ? kExitOk : exit_code_of_failed_output(errno);
  std::string why;
  const auto file = OutputFile::create(path, {.replace = true, .mode = mode_like(path)}, &why);
  if (file == nullptr || !file->write(std::as_bytes(std::span(text))) || !file->commit(&why)) {
    if (file != nullptr) file->has_failed(&why);
    complain(why);
    return kExitUnreadable;
  }
  return kExitOk;
}

// `report`: a ReportBuilder or a ComparedTrace.
template <class Report>
void add_events(trace::TraceSet& set, const EventFilter& filter, ProgressBar& progress,
                Report& report) {
  RecordFilter records(filter);
  const bool are_all_wanted = filter.is_decided_by_reader();
  trace::Event event;
  while (set.next(event)) {
    if (are_all_wanted || (filter.wants_service(*event.segment) && records.wanted(event)))
      report.add(event);
    progress.show(set.report().bytes_read);
  }
}

// What importers report goes to standard error, and into the page, which others read.
void add_notes(const ForeignInputs& inputs, const std::string& before,
               std::vector<std::string>& notes) {
  for (const interop::Diagnostic& diagnostic : inputs.diagnostics())
    notes.push_back(before + diagnostic.text());
}

}  // namespace

int run_report(int argc, char** argv) {
  const auto start = ProgressBar::Clock::now();
  int exit_code = kExitOk;
  auto options = parse_report(argc, argv, &exit_code);
  if (!options) return exit_code;
  std::string why;
  const auto filter = EventFilter::make(options->filter, unix_ns_now(), true, &why);
  if (!filter) {
    complain(why);
    return kExitUsage;
  }
  ReportOrigin origin{options->title.empty() ? title_of(options->paths) : options->title,
                      given_filters(options->filter),
                      {}};
  FleetInputs fleet_inputs;
  if (!fleet_inputs.take(options->paths, options->fleet)) return kExitUnreadable;
  ForeignInputs inputs;
  if (!take_foreign_files(options->paths, options->from, inputs)) return kExitUnreadable;
  const std::vector<std::string> against_names = options->against;
  FleetInputs against_fleet_inputs;
  if (!against_fleet_inputs.take(options->against, options->fleet)) return kExitUnreadable;
  ForeignInputs against_inputs;
  if (!options->against.empty() &&
      !take_foreign_files(options->against, options->from, against_inputs))
    return kExitUnreadable;
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
  ReportBuilder report(KnownMoments::of(options->paths, reading, wanted_records(*filter)));
  add_events(*set, *filter, *progress, report);
  progress.reset();
  if (!options->against.empty()) {
    auto before = std::make_unique<ComparedTrace>();
    std::optional<trace::TraceSet> other = trace::TraceSet::open(options->against, reading, &error);
    if (!other) {
      complain(error.text());
      return kExitUnreadable;
    }
    progress.emplace(options->against, start, ProgressBar::Output::kNothing);
    add_events(*other, *filter, *progress, *before);
    progress.reset();
    exit_code = complain_of_damage(other->report());
    for (const trace::ReadError& note : other->report().notes)
      origin.notes.push_back(kEarlier + note.text());
    add_notes(against_inputs, kEarlier, origin.notes);
    report.compare_with(std::move(before), title_of(against_names));
  }
  add_notes(inputs, {}, origin.notes);
  for (const std::string& note : filter->notes()) {
    complain(note);
    origin.notes.push_back(note);
  }
  const std::vector<ReportSection> sections = report.sections(set->report(), origin);
  const int written = write_report(
      options->is_json ? report_as_json(sections) : report_as_page(sections), options->output);
  if (written != kExitOk) return written;
  exit_code = std::max(exit_code, complain_of_damage(set->report()));
  exit_code = std::max(exit_code, complain_of(inputs.diagnostics()));
  return std::max(exit_code, complain_of(against_inputs.diagnostics()));
}

}  // namespace ringside::tool
