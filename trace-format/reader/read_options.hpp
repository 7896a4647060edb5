// The part of a trace that a reader selects.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "trace-format/codec/site_table.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::trace {

struct ReadOptions {
  // Events of [since_ns, until_ns), Unix time.
  std::uint64_t since_ns = 0;
  std::uint64_t until_ns = std::numeric_limits<std::uint64_t>::max();

  // Selects records by site; empty: all. Called once for each site of a section, and again when the
  // section has another context. Called for the contexts first; for these the result is ignored,
  // because their records are not delivered: Record::context has them.
  std::function<bool(const Site&, const SegmentInfo&)> site;

  // Not empty: the records of sites for which `needs_text` returns true are wanted only if one of
  // their values is a text that contains this one. The reader leaves out extents without it; it may
  // deliver further records. `needs_text` is called like `site`, which must be set.
  std::string text;
  std::function<bool(const Site&)> needs_text;

  // Selects events by stream, losses included; empty: all. Called once for each stream of a
  // section, and again when its STREAM block changes.
  std::function<bool(const StreamInfo&, const SegmentInfo&)> stream;

  bool losses = true;
  bool site_losses = false;  // also by site: EventKind::kSiteLoss

  // Extent by extent instead of in the order of time: each has records of one thread, in its order.
  // Costs no merge of the threads. The same events. A TraceFollower ignores it.
  bool unordered = false;

  // Not 0: only the end of the sequence of events, as far as about this many bytes contain it.
  // Earlier extents are not read, only their headers, so that damage in them is not found. See
  // TraceSet::is_end_of_all(). A TraceFollower ignores it.
  std::uint64_t end_bytes = 0;

  // Decoding threads; one of them delivers.
  unsigned threads = 1;
};

}  // namespace ringside::trace
