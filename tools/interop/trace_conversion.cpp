#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/conversion.hpp"
#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/format_registry.hpp"
#include "tools/interop/include/ringside-interop/conversion.hpp"
#include "tools/interop/opened_trace.hpp"

namespace ringside::interop {
namespace {

// What is wrong with the names and the output, before anything is read; empty if nothing is.
std::string refusal(const std::string& output, const ConvertOptions& options) {
  const tool::ForeignFormat* const format = tool::find_foreign_format(options.to);
  if (format == nullptr || (format->write == nullptr && format->write_directory == nullptr)) {
    return "cannot write format " + options.to + "; use one of " + tool::names_of_written_formats();
  }
  const bool to_sink = output.empty() || output == "-";
  if (to_sink && format->write_directory != nullptr) {
    return options.to + " is a directory; give its path as output";
  }
  if (to_sink && !options.sink) return "no output; give a path or a sink";
  std::string error;
  return tool::can_create_output({options.to, output, options.replace}, &error) ? "" : error;
}

void add_damage(const trace::ReadReport& report, std::vector<Diagnostic>& diagnostics) {
  for (const trace::ReadError& found : report.notes) {
    diagnostics.push_back(tool::note(found.text()));
  }
  if (report.further_notes > 0) {
    diagnostics.push_back(tool::note(fmt::format("{} further notes", report.further_notes)));
  }
  if (report.damaged_bytes == 0 && report.missing_records == 0) return;
  diagnostics.push_back(tool::damage(
      fmt::format("{} bytes in {} places could not be read; {} records are missing",
                  report.damaged_bytes, report.damaged_blocks, report.missing_records)));
}

}  // namespace

Conversion convert(std::span<const std::string> inputs, const std::string& output,
                   const ConvertOptions& options) {
  const std::string refused = refusal(output, options);
  if (!refused.empty()) return {.diagnostics = {tool::failure(refused)}};
  Conversion conversion;
  const auto trace =
      tool::open_inputs(inputs, {options.from, options.read}, &conversion.diagnostics);
  if (trace == nullptr) return conversion;
  const tool::ConversionResult result =
      tool::convert_trace(*trace->events, trace->paths, {options.wanted, options.most_events},
                          {options.to, output, options.replace}, options.sink);
  conversion.written = result.written;
  conversion.events = result.events;
  conversion.diagnostics.insert(conversion.diagnostics.end(), result.diagnostics.begin(),
                                result.diagnostics.end());
  if (result.sink_error != 0) {
    conversion.diagnostics.push_back(
        tool::failure("the sink failed: " + std::generic_category().message(result.sink_error)));
  }
  add_damage(trace->events->report(), conversion.diagnostics);
  return conversion;
}

}  // namespace ringside::interop
