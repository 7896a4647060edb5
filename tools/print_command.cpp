#include "tools/print_command.hpp"

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/exit_codes.hpp"
#include "tools/print_options.hpp"
#include "tools/segment_salvage.hpp"
#include "tools/standard_streams.hpp"
#include "tools/trace_text.hpp"
#include "trace-format/trace_file.hpp"
#include "trace-format/trace_set.hpp"

namespace ringside::tool {
namespace {

std::optional<trace::TraceSet> open_salvaged(const PrintOptions& options,
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
  auto set = trace::TraceSet::open(std::move(files), {}, error);
  if (!set) complain(error->text());
  return set;
}

int print_trace(const PrintOptions& options) {
  trace::ReadError error;
  std::optional<SalvagedSegment> segment;
  std::optional<trace::TraceSet> set;
  if (options.segment.empty()) {
    set = trace::TraceSet::open(options.paths, &error);
    if (!set) complain(error.text());
  } else {
    set = open_salvaged(options, segment, &error);
  }
  if (!set) return kExitUnreadable;
  int failure = 0;
  const bool whole =
      write_trace_text(*set, {options.utc, options.threads}, [&failure](std::string_view text) {
        if (write_output(text)) return true;
        failure = errno;
        return false;
      });
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
