#include "trace-format/reader/trace_end.hpp"

#include <algorithm>

#include "trace-format/reader/read_window.hpp"

namespace ringside::trace {

void TraceEnd::add(const SectionScan& section) {
  const ReadWindow window({}, section.clocks);
  // If a clock goes back, the order of time is not that of the file.
  rises_ = rises_ && window.rises_until(section.max_tsc);
  if (section.min_tsc == SectionScan::kNoTsc) return;
  std::uint64_t end = section.end;
  if (section.indexed) {
    // INDEX and END contain no records.
    constexpr std::uint64_t kFixedBytes = 128;
    const std::uint64_t index_bytes = kFixedBytes + 8 * section.metadata.size() +
                                      16 * section.late.size() + 24 * section.points.size();
    const std::uint64_t least =
        section.points.empty() ? section.begin : section.points.back().offset;
    end = std::max(least, end - std::min(end, index_bytes));
  }
  for (std::size_t i = 0; i < section.points.size(); ++i) {
    const TimePoint& point = section.points[i];
    const bool is_last = i + 1 == section.points.size();
    pieces_.push_back({section.clocks.unix_ns(point.max_tsc_before),
                       (is_last ? end : section.points[i + 1].offset) - point.offset});
  }
  const std::uint64_t front =
      (section.points.empty() ? end : section.points.front().offset) - section.begin;
  const std::uint64_t first_ns = section.clocks.unix_ns(section.min_tsc);
  pieces_.push_back({first_ns - std::min<std::uint64_t>(first_ns, 1), front});
}

std::uint64_t TraceEnd::begin_ns(std::uint64_t bytes) {
  if (!rises_) return 0;
  std::sort(pieces_.begin(), pieces_.end(),
            [](const Piece& a, const Piece& b) { return a.max_ns_before > b.max_ns_before; });
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    sum += pieces_[i].bytes;
    const bool more = i + 1 < pieces_.size();
    if (more && sum >= bytes && pieces_[i + 1].max_ns_before < pieces_[i].max_ns_before) {
      return pieces_[i].max_ns_before + 1;
    }
  }
  return 0;
}

}  // namespace ringside::trace
