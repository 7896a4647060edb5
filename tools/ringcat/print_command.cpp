#include "tools/ringcat/print_command.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/files/replaced_input.hpp"
#include "tools/interop/trace_forwarding.hpp"
#include "tools/live/segment_salvage.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/live_printing.hpp"
#include "tools/ringcat/print_options.hpp"
#include "tools/ringcat/printing.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/progress_bar.hpp"
#include "tools/text/time_argument.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/open_spans.hpp"
#include "trace-format/reader/trace_follower.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

std::optional<trace::TraceSet> open_salvaged(const PrintOptions& options, trace::ReadOptions wanted,
                                             std::optional<SalvagedSegment>& segment,
                                             trace::OpenSpans& open_spans,
                                             trace::ReadError* error) {
  std::string why;
  segment = salvage_segment(options.segment, &why);
  if (!segment) {
    complain(why);
    return {};
  }
  if (!options.conversion.format.empty()) {
    auto scan =
        trace::SiteScan::open(trace::TraceFile::in_memory(options.segment, segment->trace), error);
    if (scan) open_spans.add(*scan);
  }
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(trace::TraceFile::in_memory(options.segment, std::move(segment->trace)));
  auto set = trace::TraceSet::open(std::move(files), std::move(wanted), error);
  if (!set) complain(error->text());
  return set;
}

int convert(trace::TraceSet& set, const PrintOptions& options, const EventFilter& filter,
            const trace::OpenSpans& of_segment) {
  RecordFilter records(filter);
  EventChoice choice;
  if (filter.looks_at_records()) {
    choice.wanted = [&records](const trace::Event& event) { return records.wanted(event); };
  }
  choice.most = options.head.value_or(UINT64_MAX);
  if (!options.segment.empty()) choice.open_spans = &of_segment;
  const ConversionResult result = convert_trace(
      set, options.paths, choice, options.conversion, [](std::span<const std::byte> bytes) {
        return write_output({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      });
  if (result.sink_error != 0) return exit_code_of_failed_output(result.sink_error);
  complain_of(result.diagnostics);
  if (!result.written) return kExitUnreadable;
  for (const std::string& note : filter.notes()) complain(note);
  return kExitOk;
}

// Reads the end of the trace, more of it if that has too few lines, and at last everything.
int print_tail(const PrintOptions& options, const EventFilter& filter,
               const trace::LineFormat& format, ProgressBar::Clock::time_point start) {
  constexpr std::uint64_t kLeastBytes = 64U << 10;
  constexpr std::uint64_t kLineBytes = 4;
  constexpr std::uint64_t kGrowth = 8;
  // The lines come after all reading.
  std::optional<ProgressBar> progress(std::in_place, options.paths, start,
                                      ProgressBar::Output::kNothing);
  trace::ReadOptions reading = filter.read_options();
  reading.end_bytes = std::max(kLeastBytes, kLineBytes * *options.tail);
  for (;; reading.end_bytes *= kGrowth) {
    trace::ReadError error;
    auto set = trace::TraceSet::open(options.paths, reading, &error);
    if (!set) {
      complain(error.text());
      return kExitUnreadable;
    }
    Printing printing(options, filter, format);
    if (progress->is_shown()) printing.text_options().progress = &*progress;
    const auto text = last_lines_of_end(*set, printing.text_options());
    if (!text) {
      if (!set->is_end_of_all()) reading.end_bytes = 0;
      continue;
    }
    progress.reset();
    return printing.finish(printing.write(*text), set->report());
  }
}

int print_trace(const PrintOptions& options, const EventFilter& filter,
                const trace::LineFormat& format, ProgressBar::Clock::time_point start) {
  std::optional<ProgressBar> progress(std::in_place, options.paths, start,
                                      ProgressBar::Output::kRecords);
  trace::ReadError error;
  std::optional<SalvagedSegment> segment;
  trace::OpenSpans open_spans;  // of a salvaged segment
  std::optional<trace::TraceSet> set;
  trace::ReadOptions reading = filter.read_options();
  reading.unordered = options.unordered;
  if (options.segment.empty()) {
    set = trace::TraceSet::open(options.paths, reading, &error);
    if (!set) complain(error.text());
  } else {
    set = open_salvaged(options, reading, segment, open_spans, &error);
  }
  if (!set) return kExitUnreadable;
  if (!options.conversion.format.empty()) {
    const int exit_code = convert(*set, options, filter, open_spans);
    progress.reset();
    return exit_code != kExitOk ? exit_code : complain_of_damage(set->report());
  }
  Printing printing(options, filter, format);
  if (progress->is_shown()) printing.text_options().progress = &*progress;
  const bool whole = write_trace_text(*set, printing.text_options(),
                                      [&](std::string_view text) { return printing.write(text); });
  progress.reset();
  const int exit_code = printing.finish(whole, set->report());
  if (!segment || !whole) return exit_code;
  for (const std::string& line : segment->lines(options.utc)) complain(line);
  return segment->damaged() ? kExitDamaged : exit_code;
}

int forward(trace::TraceFollower& follower, const PrintOptions& options, const EventFilter& filter,
            FleetInputs& fleet) {
  RecordFilter records(filter);
  EventChoice choice;
  if (filter.looks_at_records()) {
    choice.wanted = [&records](const trace::Event& event) { return records.wanted(event); };
  }
  choice.most = options.head.value_or(UINT64_MAX);
  const bool to_output = options.conversion.output.empty() || options.conversion.output == "-";
  const ForwardResult result = forward_trace(
      follower, choice, options.conversion,
      [](std::span<const std::byte> bytes) {
        return write_output({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      },
      [&] { return (to_output ? is_stopped() : is_signalled()) || !fleet.check(); },
      [](const interop::Diagnostic& diagnostic) { complain(diagnostic.text()); });
  if (result.sink_error != 0) return exit_code_of_failed_output(result.sink_error);
  for (const std::string& note : filter.notes()) complain(note);
  const int exit_code = complain_of(result.diagnostics);
  return std::max(exit_code, complain_of_damage(follower.report()));
}

int follow_trace(const PrintOptions& options, const EventFilter& filter,
                 const trace::LineFormat& format, FleetInputs& fleet) {
  trace::ReadError error;
  auto follower = trace::TraceFollower::open(options.paths, filter.read_options(), &error);
  if (!follower) {
    complain(error.text());
    return kExitUnreadable;
  }
  stop_on_signals();
  if (!options.conversion.format.empty()) return forward(*follower, options, filter, fleet);
  Printing printing(options, filter, format);
  const bool whole = follow_trace_text(
      *follower, printing.text_options(), [&fleet] { return is_stopped() || !fleet.check(); },
      [&](std::string_view text) { return printing.write(text); });
  return printing.finish(whole, follower->report());
}

FleetInputs::Choice fleet_choice(const PrintOptions& options, const EventFilter& filter) {
  FleetInputs::Choice choice;
  choice.follows = options.follow;
  choice.needs_history = !options.follow || options.tail.has_value();
  if (!options.filter.since.empty()) {
    choice.since_ns = filter.read_options().since_ns;
  }
  return choice;
}

}  // namespace

int run_print(int argc, char** argv) {
  const auto start = ProgressBar::Clock::now();
  int exit_code = kExitOk;
  auto options = parse_print_options(argc, argv, &exit_code);
  if (!options) return exit_code;
  std::string why;
  const auto filter = EventFilter::make(options->filter, unix_ns_now(), options->utc, &why);
  if (!filter) {
    complain(why);
    return kExitUsage;
  }
  const auto format = make_line_format(options->format, options->color, &why);
  if (!format) {
    complain(why);
    return kExitUsage;
  }
  const AskedNames asked{options->filter, filter->where_fields(), format->field_names(),
                         filter->where_properties()};
  if (const std::string fault = fault_of_replaced_input(options->conversion.output, options->paths);
      !fault.empty()) {
    complain(fault);
    return kExitUsage;
  }
  FleetInputs fleet;
  if (!fleet.take(options->paths, options->fleet, fleet_choice(*options, *filter))) {
    return kExitUnreadable;
  }
  if (options->follow) {
    say_that_names_are_awaited(options->paths, asked);
    exit_code = follow_trace(*options, *filter, *format, fleet);
    return std::max(exit_code, fleet.exit_code());
  }
  if (!options->listen.empty() && !can_create_output(options->conversion, &why)) {
    complain(why);
    return kExitUnreadable;
  }
  LivePrinting live(*options, *filter, *format, asked);
  ForeignInputs inputs(live.view());
  const bool taken =
      options->listen.empty()
          ? take_foreign_files(options->paths, options->from, inputs)
          : listen_for_senders(options->listen, options->from, options->paths, inputs);
  if (live.has_begun()) {
    exit_code = std::max(live.finish(options->paths), taken ? kExitOk : kExitUnreadable);
    return taken ? std::max(exit_code, complain_of(inputs.diagnostics())) : exit_code;
  }
  if (!taken) return kExitUnreadable;
  // A fleet can have more names than those of the messages since then.
  const bool has_all_names = !fleet.has_any() || options->filter.since.empty();
  if (has_all_names && complain_of_unknown_names(options->paths, asked)) return kExitUsage;
  const bool end_only = options->tail && options->segment.empty();
  exit_code = end_only ? print_tail(*options, *filter, *format, start)
                       : print_trace(*options, *filter, *format, start);
  return std::max({exit_code, complain_of(inputs.diagnostics()), fleet.exit_code()});
}

}  // namespace ringside::tool
