#pragma once
// What log calls cost, as ringstat shows it.

#include <string>
#include <vector>

#include "tools/call_cost_counts.hpp"
#include "tools/status_text.hpp"

namespace ringside::tool {

// "14 ns"; "-" if no call was measured.
std::string cost_text(const CallCostCounts& costs, double ticks, std::uint64_t tick_hz);

// A row for each span of costs that occurred and those between, at most 16: from, to, calls
// measured, their share, a bar.
StatusTable call_cost_table(const CallCostCounts& costs, std::uint64_t tick_hz);

// The same of one thread; null: it has ended.
StatusTable thread_cost_table(const ThreadView* thread, const SegmentStatus& segment);

// What stands below it: the summary.
std::vector<StatusCell> thread_cost_remarks(const ThreadView& thread, const SegmentStatus& segment);

// How many were measured, mean, median, tail, and how many of them waited.
std::string call_cost_summary(const CallCostCounts& costs, std::uint32_t one_in,
                              std::uint64_t tick_hz);

}  // namespace ringside::tool
