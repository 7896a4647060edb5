#include "tools/text/call_cost_json.hpp"

#include <nlohmann/json.hpp>

namespace ringside::tool {

nlohmann::ordered_json call_cost_json(const shm::CallCostCounts& costs, std::uint32_t one_in,
                                      std::uint64_t tick_hz) {
  const auto ns = [tick_hz](double ticks) { return shm::cost_ns(ticks, tick_hz); };
  return {{"one_in", one_in},
          {"calls_measured", costs.calls()},
          {"calls_waited", costs.waited},
          {"mean_ns", ns(costs.mean_ticks())},
          {"p50_ns", ns(costs.quantile_ticks(500))},
          {"p99_ns", ns(costs.quantile_ticks(990))},
          {"max_ns", ns(static_cast<double>(costs.most_ticks()))}};
}

}  // namespace ringside::tool
