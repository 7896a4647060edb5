#pragma once
// What the panels of a report have in common.

#include <cstddef>
#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "tools/query/trace_stats.hpp"
#include "tools/report/time_grid.hpp"
#include "trace-format/reader/trace_event.hpp"

namespace ringside::tool {

// An event of the trace, valid during ReportPart::add().
struct ReportEvent {
  const trace::Event& event;
  TraceStats::Place place;
  const TimeGrid& grid;
  std::size_t interval = 0;  // of event.unix_ns in the grid
};

// Collects the data of a panel in one pass, in bounded memory. Not thread-safe.
class ReportPart {
 public:
  virtual ~ReportPart() = default;

  virtual void add(const ReportEvent& event) = 0;
};

// Times in documents are ns after the beginning of the grid: numbers of JavaScript have 53 bits.
inline std::int64_t document_ns(std::uint64_t unix_ns, const TimeGrid& grid) {
  return static_cast<std::int64_t>(unix_ns - grid.begin_ns());
}

}  // namespace ringside::tool
