#pragma once
// `ringcat --to FORMAT -o FILE`: a trace in another format.

#include <cstdint>
#include <span>
#include <string>

#include "tools/query/event_filter.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::tool {

struct ConversionOptions {
  std::string format;  // of format_registry.hpp
  std::string output;  // a path or tcp://HOST:PORT; "-" or "" is standard output
  bool force = false;  // replaces an existing file
};

// Checks that convert_trace() can create its output; called before lengthy work. False with
// `*error` if it cannot.
bool can_create_output(const ConversionOptions& options, std::string* error);

// Writes the events of `set` that match the filter, at most `most` of them, and reports what the
// format could not carry. `paths`, which `set` reads, are read twice if the format draws stacks, so
// that all methods have names. Returns the exit code, kExitOk on success.
int convert_trace(trace::TraceSet& set, std::span<const std::string> paths,
                  const EventFilter& filter, std::uint64_t most, const ConversionOptions& options);

}  // namespace ringside::tool
