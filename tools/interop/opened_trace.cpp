#include "tools/interop/opened_trace.hpp"

#include <utility>

#include "tools/interop/diagnostic_sink.hpp"
#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

std::unique_ptr<OpenedTrace> open_inputs(std::span<const std::string> paths,
                                         interop::OpenOptions options,
                                         std::vector<interop::Diagnostic>* diagnostics) {
  if (!options.format.empty() && find_foreign_format(options.format) == nullptr) {
    *diagnostics = {
        failure("unknown format " + options.format + "; use one of " + names_of_read_formats())};
    return nullptr;
  }
  auto trace = std::make_unique<OpenedTrace>();
  trace->paths.assign(paths.begin(), paths.end());
  const bool taken = trace->inputs.take(trace->paths, options.format);
  *diagnostics = trace->inputs.diagnostics();
  if (!taken) return nullptr;
  trace::ReadError error;
  trace->events = trace::TraceSet::open(trace->paths, std::move(options.read), &error);
  if (!trace->events) {
    diagnostics->push_back(failure(error.text()));
    return nullptr;
  }
  return trace;
}

}  // namespace ringside::tool
