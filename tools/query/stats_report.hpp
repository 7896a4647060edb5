#pragma once
// The output of `ringcat stats`, as tables and as JSON.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/query/trace_stats.hpp"
#include "trace-format/blocks/read_report.hpp"

namespace ringside::tool {

struct StatsReportOptions {
  std::size_t top = 20;  // statements in the table; 0: all
  bool utc = false;
  std::uint64_t interval_ns = 0;
  // Streams, statements and intervals without losses, truncated and late records are left out; the
  // others are sorted by their losses.
  bool lost_only = false;
  // Of streams, statements and intervals each, in JSON: those with the most records; the first
  // intervals. Texts are bounded too. 0: all.
  std::size_t most_rows = 0;
};

std::string stats_as_tables(const TraceStats& stats, const trace::ReadReport& read,
                            const StatsReportOptions& options);

// One object (tools/README.md describes it). All statements; times in ns since 1970.
std::string stats_as_json(const TraceStats& stats, const trace::ReadReport& read,
                          const StatsReportOptions& options);

}  // namespace ringside::tool
