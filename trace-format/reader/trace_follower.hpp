// Growing trace files as one sequence of events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "trace-format/blocks/read_report.hpp"
#include "trace-format/reader/read_options.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// The content of the files comes first, in the order of time, then the records written later, as
// sequence points pass them. New files of a directory are read too; a file that is packed after it
// was read is not read again. A late extent in a growing section is delivered when it comes, and
// counted. Not thread-safe. Memory is bounded as in TraceSet.
//
//   while (!stop) {
//     while (follower->next(event)) print(event);
//     follower->wait(1000);
//   }
//   for (follower->finish(); follower->next(event);) print(event);
class TraceFollower {
 public:
  // The longest delay for ordering the events of several sections: a section that has grown within
  // this time holds back others' events that are newer than its last sequence point.
  static constexpr unsigned kPatienceMs = 250;

  // Files, which must exist, or directories, which may be empty. Empty and `*error` otherwise.
  static std::optional<TraceFollower> open(std::span<const std::string> paths, ReadOptions options,
                                           ReadError* error, unsigned patience_ms = kPatienceMs);

  TraceFollower(TraceFollower&&) noexcept;
  TraceFollower& operator=(TraceFollower&&) noexcept;
  ~TraceFollower();

  // One more file to read. Not an error if it does not exist or is not a trace: it may still become
  // one.
  void add(const std::string& path);

  // The next event; false if there is none for now. The event's views are valid until the next call
  // of next(), wait() or finish().
  bool next(Event& event);

  // Waits up to `timeout_ms` (negative: without limit) for news: true if there are any, or if
  // next() may have an event that it held back; false after the time, or after a signal.
  bool wait(int timeout_ms);

  // Whether next() returned false only because an older event may still come from a file that has
  // grown.
  bool is_holding_back() const;

  // Stop waiting: next() delivers the remaining events.
  void finish();

  const ReadReport& report() const;

 private:
  struct Impl;
  explicit TraceFollower(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::trace
