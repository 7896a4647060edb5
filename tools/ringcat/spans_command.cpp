#include "tools/ringcat/spans_command.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/event_facts.hpp"
#include "tools/interop/span_lanes.hpp"
#include "tools/query/event_filter.hpp"
#include "tools/query/exit_codes.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/query/record_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/ringcat/fleet_inputs.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/json_lines.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_event.hpp"
#include "trace-format/lines/text_lines.hpp"
#include "trace-format/reader/open_spans.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {
namespace {

struct SpansOptions {
  std::vector<std::string> paths;
  FleetOptions fleet;
  FilterOptions filter;
  std::string format = "text";
  bool only_open = false;
  bool utc = false;
};

using Thread = std::pair<std::array<std::uint8_t, 16>, std::uint64_t>;

// A span and its line, without its depth.
struct SpanLine {
  Thread thread;
  std::uint64_t substream = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;  // nesting_end_ns()
  std::uint64_t sequence = 0;
  bool is_from_end = false;
  bool is_open = false;
  std::string text;
};

// Of two that begin together. A clock with long ticks makes many times equal. A service records a
// span at its end, and the inner one first; an importer, and RS_OPEN_SPAN, the outer one first.
bool is_outer(const SpanLine& a, const SpanLine& b) {
  if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
  if (a.is_from_end != b.is_from_end) return b.is_from_end;
  return a.is_from_end ? a.sequence > b.sequence : a.sequence < b.sequence;
}

// How deep the spans of each thread are nested, from their times. Given in the order of their
// beginnings; of those that begin together, the outer ones first.
class SpanDepths {
 public:
  std::size_t of(const SpanLine& span) {
    SpanLanes<std::size_t>& spans = threads_[span.thread];
    spans.close(span.begin_ns, [](std::size_t, const auto&) {});
    const auto place = spans.place_of(span.end_ns, span.substream);
    const std::size_t depth = place.parent == nullptr ? 0 : place.parent->what + 1;
    spans.open(place, depth);
    return depth;
  }

 private:
  std::map<Thread, SpanLanes<std::size_t>> threads_;
};

class SpanPrinter {
 public:
  SpanPrinter(const SpansOptions& options, const trace::OpenSpans& open_spans)
      : is_json_(options.format == "json"),
        only_open_(options.only_open),
        open_spans_(open_spans),
        texts_(is_json_ ? static_cast<const trace::LineFormat&>(json_lines_) : text_lines_),
        clocks_(options.utc) {}

  // False with errno if the output fails.
  bool print(const trace::Event& event) {
    const bool is_begin = trace::is_span_begin(event);
    if (!is_begin && !has_duration(event)) return true;
    const bool is_open = is_begin && open_spans_.contains(event);
    if (is_begin && !is_open) return true;  // the record of the end has everything
    const bool is_later = !together_.empty() && together_.front().begin_ns != event.unix_ns;
    if ((is_later || together_.size() == kMostTogether) && !finish()) return false;
    together_.push_back({{event.segment->uuid, event.stream->id},
                         substream_of(event),
                         event.unix_ns,
                         nesting_end_ns(event),
                         event.record.sequence,
                         (event.record.ext_flags & shm::kExtFromEnd) != 0,
                         is_open,
                         only_open_ && !is_open ? std::string() : text_of(event)});
    return true;
  }

  // Prints the spans that wait for others with the same beginning. Call it at the end.
  bool finish() {
    std::stable_sort(together_.begin(), together_.end(), is_outer);
    const bool is_written = std::all_of(together_.begin(), together_.end(),
                                        [this](SpanLine& span) { return write(span); });
    together_.clear();
    return is_written;
  }

 private:
  // Of one beginning. Hostile traces have more: those are not nested by their length.
  static constexpr std::size_t kMostTogether = 4096;

  std::string text_of(const trace::Event& event) {
    sink_.clear();
    texts_.of(event)->append(sink_, trace::LineEvent::of(event), clocks_);
    std::string line(sink_.text());
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line;
  }

  bool write(SpanLine& span) {
    const std::size_t depth = depths_.of(span);
    std::string& line = span.text;
    if (line.empty()) return true;
    if (is_json_) {
      line.pop_back();
      line += fmt::format(",\"depth\":{},\"open\":{}}}\n", depth, span.is_open);
    } else {
      line.insert(0, depth * 2, ' ');
      line += span.is_open ? " open\n" : "\n";
    }
    return write_output(line);
  }

  const bool is_json_;
  const bool only_open_;
  const trace::OpenSpans& open_spans_;
  JsonLines json_lines_;
  trace::TextLines text_lines_;
  trace::LineTexts texts_;
  trace::LineClocks clocks_;
  trace::TextSink sink_;
  SpanDepths depths_;
  std::vector<SpanLine> together_;  // that begin at the same time
};

bool print_spans(trace::TraceSet& set, const EventFilter& filter, SpanPrinter& printer) {
  RecordFilter records(filter);
  trace::Event event;
  while (set.next(event)) {
    if (event.kind != trace::EventKind::kRecord || event.record.site == nullptr) continue;
    if (event.record.site->kind != shm::SiteKind::kSpan) continue;
    if (!filter.wants_service(*event.segment) || !records.wanted(event)) continue;
    if (!printer.print(event)) return false;
  }
  return printer.finish();
}

}  // namespace

int run_spans(int argc, char** argv) {
  SpansOptions options;
  CLI::App app(
      "Prints spans in the order in which they began. The spans within another one of their "
      "thread\n"
      "are indented. A span with two records whose end is missing is marked as open.",
      "ringcat spans");
  app.add_option("PATH", options.paths, "trace files, or directories of them")->required();
  add_fleet_options(app, options.fleet);
  app.add_flag("--open", options.only_open,
               "print only spans without an end, such as those in which a service died");
  add_filter_options(app, options.filter);
  app.add_option("--format", options.format,
                 "format of the output; json: one object per span, with its depth")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--utc", options.utc, "print times in UTC instead of the local time zone");
  app.footer(
      "  ringcat spans --open traces\n"
      "  ringcat spans --thread 'worker*' --where 'duration_ns > 1000000' traces\n"
      "\n"
      "Only spans with two records (RS_OPEN_SPAN) can be open. A span whose end was lost is open,\n"
      "too: see the losses that ringcat reports.\n"
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
  const auto filter = EventFilter::make(options.filter, unix_ns_now(), options.utc, &why);
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
  auto set = trace::TraceSet::open(options.paths, filter->read_options(), &error);
  if (!set) {
    complain(error.text());
    return kExitUnreadable;
  }
  trace::OpenSpans open_spans;
  open_spans.add(options.paths, nullptr);  // `set` reports what cannot be read
  SpanPrinter printer(options, open_spans);
  if (!print_spans(*set, *filter, printer)) return exit_code_of_failed_output(errno);
  return std::max(complain_of_damage(set->report()), fleet.exit_code());
}

}  // namespace ringside::tool
