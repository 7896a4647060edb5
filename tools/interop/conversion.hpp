#pragma once
// `ringcat --to FORMAT -o FILE`: a trace in another format.

#include <string>

#include "tools/event_filter.hpp"
#include "trace-format/trace_set.hpp"

namespace ringside::tool {

struct ConversionOptions {
  std::string format;  // of format_registry.hpp
  std::string output;  // a path, tcp://HOST:PORT, or "-" or nothing for standard output
  bool force = false;  // replaces a file that is there
};

// Whether convert_trace() could create what it writes to, before something that takes long. False
// with `*error` if not.
bool can_create_output(const ConversionOptions& options, std::string* error);

// Writes the events that the filter wants, at most `most` of them, and says what the format could
// not carry. Returns the exit code, kExitOk if all went well.
int convert_trace(trace::TraceSet& set, const EventFilter& filter, std::uint64_t most,
                  const ConversionOptions& options);

}  // namespace ringside::tool
