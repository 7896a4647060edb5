// The events of one section in the order of time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "trace-format/reader/event_key.hpp"
#include "trace-format/reader/event_order.hpp"
#include "trace-format/reader/open_section.hpp"
#include "trace-format/reader/section_losses.hpp"
#include "trace-format/reader/section_walk.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

// Walks to a sequence point, delivers everything older than its watermark, and continues. Extents
// wait undecoded until their first record's turn.
class SectionReader {
 public:
  SectionReader(std::shared_ptr<TraceFile> file, SectionScan scan, const SectionContext& context);

  // Moves to the next event. Returns false at the end, or if there is none yet: see is_waiting().
  // Invalidates everything that the preceding event referred to.
  bool next() { return order_.next() || walk_to_next(); }

  const EventKey& key() const { return order_.key(); }
  void get(Event& event) {  // the present event
    order_.get(event);
    event.clock_error_ns = section_.clock_error_ns(event.record.tsc);
  }

  // The section is the last of a growing file: at its end next() returns false and may be called
  // again after grow(). Blocks are delivered in the order in which they arrive, so late extents are
  // late.
  void follow() { walk_.follow(); }
  // Call when the file's size has changed.
  void grow() { walk_.grow(); }
  // The file does not grow any more: the rest is delivered, as far as it is complete.
  void stop_following() { walk_.stop_following(); }
  bool is_waiting() const { return walk_.is_following() && !at_end_; }
  // All events older than this are delivered once next() returned false.
  std::uint64_t limit_ns() const { return order_.limit_ns(); }
  // Where the next section may begin once next() returned false and is_waiting() is false; empty if
  // nothing after this section is wanted or readable.
  std::optional<std::uint64_t> next_section() const { return walk_.next_section(); }

 private:
  bool walk_to_next();

  OpenSection section_;
  SectionLosses losses_;
  EventOrder order_;
  SectionWalk walk_;
  bool at_end_ = false;
};

}  // namespace ringside::trace
