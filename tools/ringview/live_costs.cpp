#include "tools/ringview/live_costs.hpp"

#include <nlohmann/json.hpp>

#include "tools/report/bounded_command.hpp"

namespace ringside::tool {
namespace {

constexpr int kTimeoutMs = 5000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

}  // namespace

std::string call_costs_of(std::string_view ringstat_json) {
  using nlohmann::json;
  const json status = json::parse(ringstat_json, nullptr, false);
  json costs = json::array();
  if (!status.is_object() || !status.contains("services")) return costs.dump();
  for (const json& service : status["services"]) {
    if (!service.is_object()) continue;
    const json cost = service.value("call_cost", json());
    if (!cost.is_object() || cost.value("calls_measured", json()) == 0) continue;
    json one{{"service", service.value("service", json())}, {"pid", service.value("pid", json())}};
    for (const char* const name :
         {"one_in", "calls_measured", "calls_waited", "mean_ns", "p50_ns", "p99_ns", "max_ns"})
      one[name] = cost.value(name, json());
    costs.push_back(std::move(one));
  }
  return costs.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string call_costs(const std::string& program, const std::string& shm_dir) {
  CommandResult result;
  std::string why;
  const CommandBounds bounds{.timeout_ms = kTimeoutMs, .most_output_bytes = kMostBytes};
  const bool is_run =
      run_bounded(program, {"--once", "--json", "--interval=100ms", "--shm-dir=" + shm_dir}, bounds,
                  result, &why);
  return call_costs_of(is_run && result.status == 0 ? result.output : std::string());
}

}  // namespace ringside::tool
