#include "tools/ringcat/print_command.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tools/live/segment_salvage.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/foreign_files.hpp"
#include "tools/ringcat/print_options.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/progress_bar.hpp"
#include "tools/text/time_argument.hpp"
#include "tools/text/trace_text.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/trace_follower.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

std::optional<trace::TraceSet> open_salvaged(const PrintOptions& options, trace::ReadOptions wanted,
                                             std::optional<SalvagedSegment>& segment,
                                             trace::ReadError* error) {
  std::string why;
  segment = salvage_segment(options.segment, &why);
  if (!segment) {
    complain(why);
    return {};
  }
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(trace::TraceFile::in_memory(options.segment, std::move(segment->trace)));
  auto set = trace::TraceSet::open(std::move(files), std::move(wanted), error);
  if (!set) complain(error->text());
  return set;
}

volatile std::sig_atomic_t stopped = 0;

// The first signal ends following, after the existing records are printed. A second signal ends the
// process at once.
void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stopped = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// The reader of standard output is gone: without data to write, only this check detects it.
bool is_output_unread() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// The common part of print_trace() and follow_trace().
class Printing {
 public:
  Printing(const PrintOptions& options, const EventFilter& filter, const LineFormat& format)
      : filter_(filter), records_(filter) {
    text_options_ = {options.utc, options.threads};
    if (filter.looks_at_records()) {
      text_options_.wanted = [this](const trace::Event& event) { return records_.wanted(event); };
    }
    if (options.head) text_options_.most = *options.head;
    text_options_.last = options.tail;
    text_options_.format = &format;
  }

  bool write(std::string_view text) {
    if (write_output(text)) return true;
    failure_ = errno;
    return false;
  }

  int finish(bool whole, const trace::ReadReport& report) const {
    for (const std::string& note : filter_.notes()) complain(note);
    return whole ? complain_of_damage(report) : exit_code_of_failed_output(failure_);
  }

  TraceTextOptions& text_options() { return text_options_; }

 private:
  const EventFilter& filter_;
  RecordFilter records_;
  TraceTextOptions text_options_;
  int failure_ = 0;
};

int convert(trace::TraceSet& set, const PrintOptions& options, const EventFilter& filter) {
  RecordFilter records(filter);
  EventChoice choice;
  if (filter.looks_at_records()) {
    choice.wanted = [&records](const trace::Event& event) { return records.wanted(event); };
  }
  choice.most = options.head.value_or(UINT64_MAX);
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

int print_trace(const PrintOptions& options, const EventFilter& filter, const LineFormat& format,
                ProgressBar::Clock::time_point start) {
  std::optional<ProgressBar> progress(std::in_place, options.paths, start);
  trace::ReadError error;
  std::optional<SalvagedSegment> segment;
  std::optional<trace::TraceSet> set;
  if (options.segment.empty()) {
    set = trace::TraceSet::open(options.paths, filter.read_options(), &error);
    if (!set) complain(error.text());
  } else {
    set = open_salvaged(options, filter.read_options(), segment, &error);
  }
  if (!set) return kExitUnreadable;
  if (!options.conversion.format.empty()) {
    const int exit_code = convert(*set, options, filter);
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

int follow_trace(const PrintOptions& options, const EventFilter& filter, const LineFormat& format) {
  trace::ReadError error;
  auto follower = trace::TraceFollower::open(options.paths, filter.read_options(), &error);
  if (!follower) {
    complain(error.text());
    return kExitUnreadable;
  }
  stop_on_signals();
  Printing printing(options, filter, format);
  const bool whole = follow_trace_text(
      *follower, printing.text_options(), [] { return stopped != 0 || is_output_unread(); },
      [&](std::string_view text) { return printing.write(text); });
  return printing.finish(whole, follower->report());
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
  const AskedNames asked{options->filter, filter->where_fields(), format->field_names()};
  if (options->follow) {
    // Later records may have these names.
    for (const std::string& what : find_unknown_names(options->paths, asked))
      complain(what + "; waiting for records that have it");
    return follow_trace(*options, *filter, *format);
  }
  if (!options->listen.empty() && !can_create_output(options->conversion, &why)) {
    complain(why);
    return kExitUnreadable;
  }
  ForeignInputs inputs;
  const bool taken =
      options->listen.empty()
          ? take_foreign_files(options->paths, options->from, inputs)
          : listen_for_senders(options->listen, options->from, options->paths, inputs);
  if (!taken) return kExitUnreadable;
  const auto unknown = find_unknown_names(options->paths, asked);
  for (const std::string& what : unknown) complain(what);
  if (!unknown.empty()) return kExitUsage;
  exit_code = print_trace(*options, *filter, *format, start);
  return std::max(exit_code, complain_of(inputs.diagnostics()));
}

}  // namespace ringside::tool
