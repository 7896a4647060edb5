#pragma once
// All events of a trace as lines of text.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "trace-format/trace_follower.hpp"
#include "trace-format/trace_set.hpp"

namespace ringside::tool {

class LineFormat;
class ProgressBar;

struct TraceTextOptions {
  bool utc = false;
  unsigned threads = 1;  // one of them reads
  // Asked for each event by the thread that reads; empty: all are wanted.
  std::function<bool(const trace::Event&)> wanted = {};
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  // lines; then it ends
  std::optional<std::size_t> last = {};  // so many lines of the trace's end alone
  const LineFormat* format = nullptr;    // null: TextLines
  ProgressBar* progress = nullptr;       // may be null
};

// Writes the lines of the wanted events that are left in `set`, in their order, in large pieces.
// `write` gets one piece at a time (from any thread) and returns false to end it all. Memory is
// bounded by the number of threads and what `last` keeps. Returns false if `write` did so.
bool write_trace_text(trace::TraceSet& set, const TraceTextOptions& options,
                      const std::function<bool(std::string_view)>& write);

// The same of what is still written, with `last` of what is there at the beginning; a piece is
// handed over when nothing more is there for now. Goes on until `stop` says so, which is asked
// several times a second and when a signal came, and then to the end of what is there.
bool follow_trace_text(trace::TraceFollower& follower, const TraceTextOptions& options,
                       const std::function<bool()>& stop,
                       const std::function<bool(std::string_view)>& write);

}  // namespace ringside::tool
