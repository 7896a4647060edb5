#include "tools/query/call_cost_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/text/call_cost_json.hpp"
#include "tools/text/duration.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

std::string cost_time_text(double ticks, const trace::MeasuredCalls& calls) {
  return calls.tick_hz == 0 ? "-"
                            : bound_text(static_cast<std::uint64_t>(std::clamp(
                                  std::ceil(shm::cost_ns(ticks, calls.tick_hz)), 0.0, 0x1p62)));
}

}  // namespace

std::vector<const trace::MeasuredCalls*> measured_services(const trace::ServiceCallCosts& costs,
                                                           const TraceStats& stats) {
  std::set<std::pair<std::string, std::uint32_t>> counted;
  for (const StreamStats* stream : stats.streams()) counted.emplace(stream->service, stream->pid);
  std::vector<const trace::MeasuredCalls*> services;
  for (const auto& [uuid, calls] : costs.segments()) {
    if (calls.newest.counts.calls() != 0 && counted.contains({calls.service, calls.pid})) {
      services.push_back(&calls);
    }
  }
  std::stable_sort(services.begin(), services.end(), [](const auto* a, const auto* b) {
    return std::tie(a->service, a->pid, a->until_ns) < std::tie(b->service, b->pid, b->until_ns);
  });
  return services;
}

std::string call_costs_as_table(const std::vector<const trace::MeasuredCalls*>& services) {
  if (services.empty()) return {};
  std::string out = fmt::format("\n{:>12} {:>10} {:>10} {:>10} {:>10} {:>10}  {}\n", "log calls",
                                "one in", "mean", "p50", "p99", "max", "service");
  for (const trace::MeasuredCalls* const calls : services) {
    const shm::CallCostCounts& costs = calls->newest.counts;
    out += fmt::format("{:>12} {:>10} {:>10} {:>10} {:>10} {:>10}  {} {}\n", costs.calls(),
                       calls->newest.one_in, cost_time_text(costs.mean_ticks(), *calls),
                       cost_time_text(costs.quantile_ticks(500), *calls),
                       cost_time_text(costs.quantile_ticks(990), *calls),
                       cost_time_text(static_cast<double>(costs.most_ticks()), *calls),
                       trace::visible(calls->service), calls->pid);
  }
  return out;
}

nlohmann::json call_costs_as_json(const std::vector<const trace::MeasuredCalls*>& services) {
  nlohmann::json list = nlohmann::json::array();
  for (const trace::MeasuredCalls* const calls : services) {
    nlohmann::json one = call_cost_json(calls->newest.counts, calls->newest.one_in, calls->tick_hz);
    one["service"] = calls->service;
    one["pid"] = calls->pid;
    one["until_unix_ns"] = calls->until_ns;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace ringside::tool
