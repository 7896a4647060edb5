#include "tools/print_command.hpp"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/event_filter.hpp"
#include "tools/exit_codes.hpp"
#include "tools/print_options.hpp"
#include "tools/segment_salvage.hpp"
#include "tools/standard_streams.hpp"
#include "tools/trace_text.hpp"
#include "trace-format/trace_file.hpp"
#include "trace-format/trace_set.hpp"

namespace ringside::tool {
namespace {

std::uint64_t unix_ns_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

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

int print_trace(const PrintOptions& options) {
  std::string why;
  const auto filter = EventFilter::make(options.filter, unix_ns_now(), options.utc, &why);
  if (!filter) {
    complain(why);
    return kExitUsage;
  }
  trace::ReadError error;
  std::optional<SalvagedSegment> segment;
  std::optional<trace::TraceSet> set;
  if (options.segment.empty()) {
    set = trace::TraceSet::open(options.paths, filter->read_options(), &error);
    if (!set) complain(error.text());
  } else {
    set = open_salvaged(options, filter->read_options(), segment, &error);
  }
  if (!set) return kExitUnreadable;
  TraceTextOptions text_options{options.utc, options.threads};
  if (filter->looks_at_events()) {
    text_options.wanted = [&filter](const trace::Event& event) { return filter->wanted(event); };
  }
  int failure = 0;
  const bool whole = write_trace_text(*set, text_options, [&failure](std::string_view text) {
    if (write_output(text)) return true;
    failure = errno;
    return false;
  });
  for (const std::string& note : filter->notes()) complain(note);
  if (!whole) return exit_code_of_failed_output(failure);
  const int exit_code = complain_of_damage(set->report());
  if (!segment) return exit_code;
  for (const std::string& line : segment->lines(options.utc)) complain(line);
  return segment->damaged() ? kExitDamaged : exit_code;
}

}  // namespace

int run_print(int argc, char** argv) {
  int exit_code = kExitOk;
  const auto options = parse_print_options(argc, argv, &exit_code);
  return options ? print_trace(*options) : exit_code;
}

}  // namespace ringside::tool
