#pragma once
// All events of a trace as lines of text.

#include <functional>
#include <string_view>

#include "trace-format/trace_set.hpp"

namespace ringside::tool {

struct TraceTextOptions {
  bool utc = false;
  unsigned threads = 1;  // one of them reads
  // Asked for each event by the thread that reads; empty: all are wanted.
  std::function<bool(const trace::Event&)> wanted = {};
};

// Writes the lines of the wanted events that are left in `set`, in their order, in large pieces.
// `write` gets one piece at a time (from any thread) and returns false to end it all. Memory is
// bounded by the number of threads. Returns false if `write` did so.
bool write_trace_text(trace::TraceSet& set, const TraceTextOptions& options,
                      const std::function<bool(std::string_view)>& write);

}  // namespace ringside::tool
