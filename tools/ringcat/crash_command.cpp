#include "tools/ringcat/crash_command.hpp"

#include <algorithm>
#include <cerrno>
#include <fnmatch.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/crash/crash_report.hpp"
#include "tools/crash/process_story.hpp"
#include "tools/crash/section_ends.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/json_lines.hpp"
#include "trace-format/lines/text_lines.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/reader/open_spans.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

struct CrashOptions {
  std::vector<std::string> paths;
  FleetOptions fleet;
  std::vector<std::string> services;
  std::size_t last = 5;
  std::string format = "text";
  bool utc = false;
};

bool is_wanted(const ProcessStory& story, const CrashOptions& options) {
  if (options.services.empty()) return true;
  for (const std::string& glob : options.services) {
    if (fnmatch(glob.c_str(), story.service.c_str(), 0) == 0) return true;
  }
  return false;
}

std::string report_of(const StoryCollection& collection, const CrashOptions& options) {
  Symboliser symboliser;
  std::string text;
  for (const ProcessStory* story : collection.stories()) {
    if (!is_wanted(*story, options)) continue;
    if (options.format == "json") {
      text += crash_as_json(*story, symboliser);
      continue;
    }
    if (!text.empty()) text += "\n";
    text += crash_as_text(*story, symboliser, options.utc);
  }
  return text;
}

}  // namespace

int run_crash(int argc, char** argv) {
  CrashOptions options;
  CLI::App app(
      "Tells how each process of the traces ended: a crash with its stack, a normal end, or none\n"
      "of both; what its threads recorded last, and the spans in which they were.",
      "ringcat crash");
  app.add_option("PATH", options.paths, "trace files, or directories of them")->required();
  add_fleet_options(app, options.fleet);
  app.add_option("--service", options.services, "services of this name (glob; repeatable)")
      ->type_name("GLOB");
  app.add_option("--last", options.last, "records of each thread, and spans of each process")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  app.add_option("--format", options.format, "format of the output; json: one object per process")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--utc", options.utc, "print times in UTC instead of the local time zone");
  app.footer(
      "The service must have called ringside::install_crash_handler(). Functions and lines come\n"
      "from the program and libraries with the recorded build ids, at their recorded paths, in\n"
      "/usr/lib/debug/.build-id and in debuginfod's cache.\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (see standard error), 2 invalid usage, or\n"
      "a service that no trace has, 3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  FleetInputs fleet;
  if (!fleet.take(options.paths, options.fleet)) return kExitUnreadable;
  trace::ReadError error;
  const auto files = trace::query::files_of(options.paths, &error);
  std::map<SegmentUuid, TraceEnd> ends;
  if (!files || !read_section_ends(*files, &ends, &error)) {
    complain(error.text());
    return kExitUnreadable;
  }
  const JsonLines json_lines;
  const trace::TextLines text_lines;
  const trace::LineFormat* format = &text_lines;
  if (options.format == "json") format = &json_lines;
  trace::OpenSpans open_spans;
  open_spans.add(options.paths, nullptr);  // the second reading reports what cannot be read
  StoryCollection collection(*format, options.last, options.utc, open_spans);
  trace::ReadOptions reading;
  reading.site = [&collection](const trace::Site& site, const trace::SegmentInfo& segment) {
    collection.add_site(site, segment);
    return true;
  };
  auto set = trace::TraceSet::open(options.paths, reading, &error);
  if (!set) {
    complain(error.text());
    return kExitUnreadable;
  }
  trace::Event event;
  while (set->next(event)) collection.add(event);
  collection.add_ends(ends);
  const std::string text = report_of(collection, options);
  if (text.empty() && !options.services.empty()) {
    complain(fmt::format("--service {}: no trace has such a service",
                         fmt::join(options.services, ", ")));
    return kExitUsage;
  }
  if (!write_output(text)) return exit_code_of_failed_output(errno);
  return std::max(complain_of_damage(set->report()), fleet.exit_code());
}

}  // namespace ringside::tool
