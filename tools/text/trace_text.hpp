#pragma once
// Writes all events of a trace as lines of text.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace-format/reader/trace_follower.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::trace {
class LineFormat;
}

namespace ringside::tool {

class ClockOrder;
class ProgressBar;

struct TraceTextOptions {
  bool utc = false;
  unsigned threads = 1;  // including the one that reads
  // Called for each event by the thread that reads; empty: all events are wanted.
  std::function<bool(const trace::Event&)> wanted = {};
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  // lines; ends after them
  std::optional<std::size_t> last =
      {};  // writes only this many lines, those at the end of the trace
  const trace::LineFormat* format = nullptr;  // null: TextLines
  ProgressBar* progress = nullptr;            // may be null
  ClockOrder* clock_order = nullptr;          // gets the events of several hosts; may be null
  bool marks_order = false;  // marks lines by what clock_order says about their events
};

// Writes the lines of the wanted events that are left in `set`, in order, in large pieces. `write`
// gets one piece at a time (from any thread) and returns false to end the work. Memory is bounded
// by the number of threads and the lines kept for `last`. Returns false if `write` did so.
bool write_trace_text(trace::TraceSet& set, const TraceTextOptions& options,
                      const std::function<bool(std::string_view)>& write);

// The header and the last lines (`options.last`, which must be set) of the whole trace, from a set
// that was opened with ReadOptions::end_bytes. Empty if the set has too little of the trace's end
// to determine them.
std::optional<std::string> last_lines_of_end(trace::TraceSet& set, const TraceTextOptions& options);

// The same as write_trace_text() for files that are still written; `last` applies to the events
// that exist at the beginning. A piece is written when no more events are available for now.
// Continues until `stop` returns true, and then writes the events that exist. `stop` is called
// several times a second and after a signal.
bool follow_trace_text(trace::TraceFollower& follower, const TraceTextOptions& options,
                       const std::function<bool()>& stop,
                       const std::function<bool(std::string_view)>& write);

// The same, step by step. `options` and what it refers to must outlive this object. Not
// thread-safe.
class GrowingText {
 public:
  GrowingText(const TraceTextOptions& options, std::function<bool(std::string_view)> write);
  ~GrowingText();
  GrowingText(const GrowingText&) = delete;
  GrowingText& operator=(const GrowingText&) = delete;

  // Writes the lines of the events that `follower` has now. False if `write` returned false.
  bool write_available(trace::TraceFollower& follower);
  // Whether TraceTextOptions::most lines are written.
  bool is_done() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::tool
