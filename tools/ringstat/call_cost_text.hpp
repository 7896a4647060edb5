#pragma once
// Costs of log calls, in the form that ringstat shows.

#include <string>
#include <vector>

#include "shm-layout/call_cost_counts.hpp"
#include "tools/ringstat/status_text.hpp"

namespace ringside::tool {

// "14 ns"; "-" if no call was measured.
std::string cost_text(const shm::CallCostCounts& costs, double ticks, std::uint64_t tick_hz);

// A row for each range of costs from the lowest to the highest that occurred, at most 16: from, to,
// measured calls, their share, a bar.
StatusTable call_cost_table(const shm::CallCostCounts& costs, std::uint64_t tick_hz);

// The same for one thread; null: the thread has ended.
StatusTable thread_cost_table(const ThreadView* thread, const SegmentStatus& segment);

// The summary below that table.
std::vector<StatusCell> thread_cost_remarks(const ThreadView& thread, const SegmentStatus& segment);

// The number of measured calls, mean, median, tail, and how many of them waited.
std::string call_cost_summary(const shm::CallCostCounts& costs, std::uint32_t one_in,
                              std::uint64_t tick_hz);

}  // namespace ringside::tool
