// Information about a salvaged segment besides its records.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/live/segment_salvage.hpp"
#include "trace-format/lines/wall_clock_text.hpp"

namespace ringside::tool {

bool SalvagedSegment::damaged() const {
  return !notes.empty() || std::any_of(threads.begin(), threads.end(),
                                       [](const SalvagedThread& t) { return !t.damage.empty(); });
}

std::vector<std::string> SalvagedSegment::lines(bool utc) const {
  std::vector<std::string> lines = notes;
  trace::WallClockText clock(utc);
  for (const SalvagedThread& t : threads) {
    std::string line = fmt::format("thread {} {}{}: {} records", t.thread_id, t.thread_name,
                                   t.ended ? " (ended)" : "", t.records);
    if (t.drained != 0) line += fmt::format(" after the {} that a consumer took", t.drained);
    if (t.overwritten != 0) line += fmt::format(", {} overwritten", t.overwritten);
    if (t.dropped != t.overwritten) line += fmt::format(", {} dropped", t.dropped - t.overwritten);
    if (t.last_sequence) {
      trace::TextSink when;
      clock.append(when, t.last_unix_ns);
      line +=
          fmt::format("; the last committed one is number {} of {}", *t.last_sequence, when.text());
    }
    if (t.unfinished) {
      line += "; after it an unfinished record";
      if (!t.unfinished_site.empty()) line += " of " + t.unfinished_site;
    }
    if (!t.damage.empty()) {
      line += fmt::format("; {} bytes cannot be decoded: {}", t.lost_bytes, t.damage);
    }
    lines.push_back(std::move(line));
  }
  if (losses_without_ring != 0) {
    lines.push_back(
        fmt::format("{} records were lost: no ring, no memory or no space in the dictionary",
                    losses_without_ring));
  }
  if (overwritten_streams_lost != 0) {
    lines.push_back(fmt::format("{} records of threads that have ended were overwritten",
                                overwritten_streams_lost));
  }
  return lines;
}

}  // namespace ringside::tool
