#pragma once
// A trace in another format.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/interop/include/ringside-interop/diagnostic.hpp"
#include "tools/interop/output_bytes.hpp"
#include "trace-format/reader/open_spans.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {

struct ConversionOptions {
  std::string format;  // of format_registry.hpp
  // A path, tcp://HOST:PORT or udp://HOST:PORT; "-" or "" is the sink of the conversion.
  std::string output;
  bool force = false;  // replaces an existing file
};

struct EventChoice {
  std::function<bool(const trace::Event&)> wanted;  // empty: all
  std::uint64_t most = UINT64_MAX;
  // Of a trace that is not in `paths`; null: read from there.
  const trace::OpenSpans* open_spans = nullptr;
};

struct ConversionResult {
  bool written = false;  // the output is complete
  int sink_error = 0;    // errno of a failed sink, which has no diagnostic
  std::uint64_t events = 0;
  // What the format could not carry; if the output failed, the reason.
  std::vector<interop::Diagnostic> diagnostics;
};

// What is wrong with an output that is an address, for this format; empty if nothing is, or the
// output is a file. Does not look anything up.
std::string fault_of_address(const ConversionOptions& options);

// Checks that convert_trace() can create its output; called before lengthy work. False with
// `*error` if it cannot.
bool can_create_output(const ConversionOptions& options, std::string* error);

// Writes the chosen events of `set`. `paths`, which `set` reads, are read twice if the format draws
// stacks, so that all methods have names, or if it draws spans and the trace has spans with two
// records.
ConversionResult convert_trace(trace::TraceSet& set, std::span<const std::string> paths,
                               const EventChoice& choice, const ConversionOptions& options,
                               const OutputBytes::Sink& sink);

}  // namespace ringside::tool
