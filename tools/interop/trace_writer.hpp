#pragma once
// What every writer of a foreign format is.

#include <string>

#include "trace-format/trace_event.hpp"

namespace ringside::tool {

// Gets the events of a trace in the order of time: records, and losses where the reader finds them.
// Memory must not grow with the trace, unless the format forbids anything else (README.md says
// which, and why). What the format cannot carry goes to the ConversionReport that it was made with.
class TraceWriter {
 public:
  TraceWriter() = default;
  virtual ~TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // What `event` refers to is valid during the call only; see Event::section on remembering.
  virtual void add(const trace::Event& event) = 0;

  // After the last event: completes the output. A failed output shows in OutputBytes::ok(), or, of
  // a directory, in failure().
  virtual void end() = 0;

  // Why a writer that makes a directory could not; empty if it could.
  virtual const std::string& failure() const {
    static const std::string kNone;
    return kNone;
  }
};

}  // namespace ringside::tool
