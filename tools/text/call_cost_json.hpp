#pragma once
// What log calls take, as JSON.

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "shm-layout/call_cost_counts.hpp"

namespace ringside::tool {

// An object with the members `one_in`, `calls_measured`, `calls_waited`, `mean_ns`, `p50_ns`,
// `p99_ns` and `max_ns`.
nlohmann::ordered_json call_cost_json(const shm::CallCostCounts& costs, std::uint32_t one_in,
                                      std::uint64_t tick_hz);

}  // namespace ringside::tool
