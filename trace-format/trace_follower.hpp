// Trace files that are still written, as one sequence of events.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "trace-format/read_options.hpp"
#include "trace-format/read_report.hpp"
#include "trace-format/trace_event.hpp"

namespace ringside::trace {

// What the files hold comes first, in the order of time, then what is written to them, as far as
// sequence points pass it. New files of a directory are read too, one that is packed after it was
// read is not read again. A late extent of what is still written is delivered when it comes, and
// counted. Not thread-safe. Memory is bounded as in TraceSet.
//
//   while (!stop) {
//     while (follower->next(event)) print(event);
//     follower->wait(1000);
//   }
//   for (follower->finish(); follower->next(event);) print(event);
class TraceFollower {
 public:
  // How long the order of several sections' events is worth a delay: a section that has grown
  // within this time holds back others' events that are younger than its last sequence point.
  static constexpr unsigned kPatienceMs = 250;

  // Files, which must exist, or directories, which may be empty. Empty and `*error` otherwise.
  static std::optional<TraceFollower> open(std::span<const std::string> paths, ReadOptions options,
                                           ReadError* error, unsigned patience_ms = kPatienceMs);

  TraceFollower(TraceFollower&&) noexcept;
  TraceFollower& operator=(TraceFollower&&) noexcept;
  ~TraceFollower();

  // The next event; false if there is none for now. The event's views stay valid until the next
  // call of this, wait() or finish().
  bool next(Event& event);

  // Waits up to `timeout_ms` (negative: without end) for something new: true if there is, or if
  // next() may have something that it held back; false after the time, or when a signal came.
  bool wait(int timeout_ms);

  // Nothing more is waited for: next() delivers what is left.
  void finish();

  const ReadReport& report() const;

 private:
  struct Impl;
  explicit TraceFollower(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::trace
