#pragma once
// The interface of all writers of foreign formats.

#include <memory>
#include <string>

#include "tools/interop/method_names.hpp"
#include "trace-format/reader/collection_history.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// Gets the events of a trace in order of time: records, and losses where the reader finds them.
// Memory must not grow with the trace, unless the format makes that impossible (README.md lists
// these formats and the reasons). What the format cannot carry goes to the ConversionReport given
// at construction.
class TraceWriter {
 public:
  TraceWriter() = default;
  virtual ~TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Called before the first event, for writers whose format draws stacks.
  virtual void use(const std::shared_ptr<const MethodsByProcess>& /*methods*/) {}

  // Called before the first event, for writers whose format states what was collected.
  virtual void use_collection(
      const std::shared_ptr<const trace::CollectionHistory>& /*collection*/) {}

  // References in `event` are valid only during the call; see Event::section on remembering.
  virtual void add(const trace::Event& event) = 0;

  // Completes the output after the last event. A failed output shows in OutputBytes::ok(), or, for
  // a directory, in failure().
  virtual void end() = 0;

  // Why a writer of a directory failed; empty if it did not.
  virtual const std::string& failure() const {
    static const std::string kNone;
    return kNone;
  }

  // Puts what was held back so far, to gather several events, because none may follow for long.
  virtual void flush() {}
};

}  // namespace ringside::tool
