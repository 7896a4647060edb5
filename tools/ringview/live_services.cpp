#include "tools/ringview/live_services.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/processes/bounded_command.hpp"

namespace ringside::tool {
namespace {

using nlohmann::json;

constexpr int kTimeoutMs = 5000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
// ringstat: no service.
constexpr int kNoService = 3;

std::string array_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json cost_of(const json& service) {
  const json cost = service.value("call_cost", json());
  if (!cost.is_object() || cost.value("calls_measured", json()) == 0) return {};
  json one{{"service", service.value("service", json())}, {"pid", service.value("pid", json())}};
  for (const char* const name :
       {"one_in", "calls_measured", "mean_ns", "p50_ns", "p99_ns", "max_ns"})
    one[name] = cost.value(name, json());
  return one;
}

}  // namespace

LiveServices services_of(std::string_view ringstat_json) {
  const json status = json::parse(ringstat_json, nullptr, false);
  if (!status.is_object() || !status.contains("services")) return {};
  json services = json::array();
  json costs = json::array();
  for (const json& service : status["services"]) {
    if (!service.is_object()) continue;
    const json consumer = service.value("consumer", json());
    services.push_back(
        {{"service", service.value("service", json())},
         {"pid", service.value("pid", json())},
         {"alive", service.value("alive", json())},
         {"consumer", consumer.is_object() ? consumer.value("health", json()) : json()}});
    json cost = cost_of(service);
    if (!cost.is_null()) costs.push_back(std::move(cost));
  }
  return {array_text(services), array_text(costs)};
}

LiveServices ask_services(const std::string& program, const std::string& shm_dir) {
  CommandResult result;
  std::string why;
  const CommandBounds bounds{.timeout_ms = kTimeoutMs, .most_output_bytes = kMostBytes};
  const bool is_run =
      run_bounded(program, {"--once", "--json", "--interval=100ms", "--shm-dir=" + shm_dir}, bounds,
                  result, &why);
  if (!is_run || result.is_cut) return {};
  if (result.status == kNoService) return {"[]", "[]"};
  return services_of(result.output);
}

ServiceWatch::ServiceWatch(LiveBoard& board, std::function<LiveServices()> ask,
                           std::chrono::milliseconds interval)
    : board_(board), ask_(std::move(ask)), interval_(interval) {
  thread_ = std::thread([this] { run(); });
}

ServiceWatch::~ServiceWatch() {
  board_.end();
  thread_.join();
}

void ServiceWatch::run() {
  do {
    LiveServices services = ask_();
    if (services == board_.newest()->services) continue;
    board_.change([&](LiveState& state) { state.services = std::move(services); });
  } while (board_.pause(interval_));
}

}  // namespace ringside::tool
