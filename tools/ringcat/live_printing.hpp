#pragma once
// Prints the records of a pipe or of senders while more are awaited.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/interop/live_publisher.hpp"
#include "tools/ringcat/printing.hpp"
#include "tools/ringcat/unknown_names.hpp"
#include "trace-format/reader/trace_follower.hpp"

namespace ringside::tool {

// Begins when the input first pauses; before that, it can still be read and sorted as a whole.
// Refers to the constructor's arguments.
class LivePrinting {
 public:
  LivePrinting(const PrintOptions& options, const EventFilter& filter,
               const trace::LineFormat& format, const AskedNames& asked)
      : options_(options), filter_(filter), format_(format), asked_(asked) {}

  // For the inputs; empty if the options need all records first, or do not print lines.
  LiveView view();

  bool has_begun() const { return printing_.has_value(); }
  // After the end of the input: prints the rest of what is at `paths`, and returns the exit code.
  int finish(const std::vector<std::string>& paths);

 private:
  bool show(const std::vector<std::string>& paths);
  void add(const std::vector<std::string>& paths);
  void begin(const std::vector<std::string>& paths);

  const PrintOptions& options_;
  const EventFilter& filter_;
  const trace::LineFormat& format_;
  const AskedNames& asked_;
  std::optional<trace::TraceFollower> follower_;
  std::optional<Printing> printing_;
  std::optional<GrowingText> text_;
  std::size_t known_paths_ = 0;
  bool whole_ = true;
};

}  // namespace ringside::tool
