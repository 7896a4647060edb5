#include "tools/ringcat/stacks_command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/crash/crash_record.hpp"
#include "tools/crash/recorded_modules.hpp"
#include "tools/crash/stack_text.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/help_format.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/text_lines.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

struct StacksOptions {
  std::vector<std::string> paths;
  FleetOptions fleet;
  FilterOptions filter;
  bool utc = false;
};

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::system_clock::now().time_since_epoch())
                                        .count());
}

// Writes records and their stacks. False with errno if the output fails.
bool write_stacks(trace::TraceSet& set, const EventFilter& filter, const RecordedModules& modules,
                  bool utc) {
  const std::vector<MappedCode> none;
  const trace::TextLines format;
  trace::LineTexts texts(format);
  trace::LineClocks clocks(utc);
  trace::TextSink line;
  RecordFilter records(filter);
  Symboliser symboliser;
  trace::Event event;
  while (set.next(event)) {
    if (event.kind != trace::EventKind::kRecord || event.record.site == nullptr) continue;
    if (!filter.wants_service(*event.segment) || !records.wanted(event)) continue;
    const std::vector<std::uint64_t> stack = read_stack(event.record);
    if (stack.empty()) continue;
    line.clear();
    texts.of(event)->append(line, trace::LineEvent::of(event), clocks);
    const auto found = modules.find(event.segment->uuid);
    const bool is_crash = is_library_event(*event.record.site, kCrashEvent);
    if (!write_output(line.text()) ||
        !write_output(stack_as_text(stack, is_crash, found != modules.end() ? found->second : none,
                                    symboliser))) {
      return false;
    }
  }
  return true;
}

}  // namespace

int run_stacks(int argc, char** argv) {
  StacksOptions options;
  CLI::App app(
      "Prints the records that have a stack (RS_STACK, ringctl stacks), with the names of\n"
      "functions.",
      "ringcat stacks");
  app.add_option("PATH", options.paths, "trace files, or directories of them")->required();
  add_fleet_options(app, options.fleet);
  add_filter_options(app, options.filter);
  app.add_flag("--utc", options.utc, "print times in UTC instead of the local time zone");
  app.footer(
      "Functions and lines come from the program and libraries with the recorded build ids, at\n"
      "their recorded paths, in /usr/lib/debug/.build-id and in debuginfod's cache.\n"
      "\n"
      "  ringcat stacks --site slow --since -5m traces\n"
      "\n"
      "Exit status: 0 all read, 1 damage was skipped (see standard error), 2 invalid usage,\n"
      "3 nothing could be read, or nothing written.");
  set_help_format(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  std::string why;
  const auto filter = EventFilter::make(options.filter, now_ns(), options.utc, &why);
  if (!filter) {
    complain(why);
    return kExitUsage;
  }
  FleetInputs fleet;
  if (!fleet.take(options.paths, options.fleet)) return kExitUnreadable;
  if (complain_of_unknown_names(
          options.paths, {options.filter, filter->where_fields(), {}, filter->where_properties()}))
    return kExitUsage;
  trace::ReadError error;
  RecordedModules modules;
  if (!read_modules(options.paths, &modules, &error)) {
    complain(error.text());
    return kExitUnreadable;
  }
  auto set = trace::TraceSet::open(options.paths, filter->read_options(), &error);
  if (!set) {
    complain(error.text());
    return kExitUnreadable;
  }
  if (!write_stacks(*set, *filter, modules, options.utc)) return exit_code_of_failed_output(errno);
  return std::max(complain_of_damage(set->report()), fleet.exit_code());
}

}  // namespace ringside::tool
