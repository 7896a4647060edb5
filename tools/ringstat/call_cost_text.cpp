#include "tools/ringstat/call_cost_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "tools/ringstat/quantity_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostCostRows = 16;
constexpr std::size_t kCostBarWidth = 30;

std::string time_text(double ticks, std::uint64_t tick_hz) {
  return nanoseconds_text(shm::cost_ns(ticks, tick_hz));
}

}  // namespace

std::string cost_text(const shm::CallCostCounts& costs, double ticks, std::uint64_t tick_hz) {
  return costs.calls() != 0 ? time_text(ticks, tick_hz) : "-";
}

StatusTable call_cost_table(const shm::CallCostCounts& costs, std::uint64_t tick_hz) {
  StatusTable table;
  table.columns = {"FROM", "TO", "CALLS", "SHARE", ""};
  table.if_empty = "No log call of this thread has been measured yet.";
  const auto occurs = [](std::uint64_t count) { return count != 0; };
  const auto first = std::find_if(costs.count.begin(), costs.count.end(), occurs);
  if (first == costs.count.end()) return table;
  const auto last = std::find_if(costs.count.rbegin(), costs.count.rend(), occurs).base() - 1;
  auto begin = static_cast<std::size_t>(first - costs.count.begin());
  const auto end = static_cast<std::size_t>(last - costs.count.begin()) + 1;
  // Rows combine as few buckets as possible: one, two, an octave, two octaves.
  std::size_t together = 1;
  while (end / together - begin / together + 1 > kMostCostRows) together *= 2;
  begin -= begin % together;
  struct Row {
    std::size_t begin;
    std::size_t end;
    std::uint64_t calls;
  };
  std::vector<Row> rows;
  std::uint64_t most = 0;
  for (std::size_t at = begin; at < end; at += together) {
    Row row{at, std::min(at + together, costs.count.size()), 0};
    for (std::size_t i = row.begin; i < row.end; ++i) row.calls += costs.count[i];
    most = std::max(most, row.calls);
    rows.push_back(row);
  }
  const auto all = static_cast<double>(costs.calls());
  for (const Row& row : rows) {
    const auto calls = static_cast<double>(row.calls);
    const auto edge = [tick_hz](std::size_t bucket) {
      return time_text(static_cast<double>(shm::cost_bucket_begin(bucket)), tick_hz);
    };
    // The last bucket has no end.
    const std::string to = row.end == costs.count.size() ? "and more" : edge(row.end);
    std::string bar(row.calls == 0 ? 0
                                   : static_cast<std::size_t>(std::ceil(
                                         calls / static_cast<double>(most) * kCostBarWidth)),
                    '#');
    table.rows.push_back({{edge(row.begin), Tone::kPlain, true},
                          {to, Tone::kPlain, true},
                          {count_text(calls), Tone::kPlain, true},
                          {fmt::format("{:.1f}%", calls / all * 100), Tone::kPlain, true},
                          {std::move(bar)}});
  }
  return table;
}

StatusTable thread_cost_table(const ThreadView* thread, const SegmentStatus& segment) {
  const shm::CallCostCounts none;
  StatusTable table =
      call_cost_table(thread != nullptr ? thread->now.call_costs : none, segment.tick_hz);
  if (thread == nullptr) {
    table.if_empty = "The thread has ended; press Esc to return to the other threads.";
  } else if (segment.cost_sampling == 0) {
    table.if_empty =
        "Log calls are not measured; start the service with RINGSIDE_COST_SAMPLING=8192.";
  }
  return table;
}

std::string call_cost_summary(const shm::CallCostCounts& costs, std::uint32_t one_in,
                              std::uint64_t tick_hz) {
  const auto text = [&](double ticks) { return cost_text(costs, ticks, tick_hz); };
  std::string line =
      fmt::format("1 in {} log calls ({}): mean {}, p50 {}, p99 {}, max {}", one_in,
                  count_text(static_cast<double>(costs.calls())), text(costs.mean_ticks()),
                  text(costs.quantile_ticks(500)), text(costs.quantile_ticks(990)),
                  text(static_cast<double>(costs.most_ticks())));
  if (costs.waited != 0) {
    line += fmt::format(", {} waited", count_text(static_cast<double>(costs.waited)));
  }
  return line;
}

std::vector<StatusCell> thread_cost_remarks(const ThreadView& thread,
                                            const SegmentStatus& segment) {
  if (thread.now.call_costs.calls() == 0) return {};
  return {{call_cost_summary(thread.now.call_costs, segment.cost_sampling, segment.tick_hz)}};
}

}  // namespace ringside::tool
