#pragma once
// The state of a fleet as text and as JSON, by ringstat_fleet.schema.json.

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/fleet/fleet_status.hpp"
#include "tools/ringstat/status_text.hpp"

namespace ringside::tool {

// `now_ns`: Unix time, for the ages of what hosts have sent.
StatusTable host_table(const fleet::FleetStatus& status, std::int64_t now_ns);
StatusTable sink_table(const fleet::FleetStatus& status);
std::string fleet_text(const fleet::FleetStatus& status, std::int64_t now_ns);

nlohmann::ordered_json fleet_json(const fleet::FleetStatus& status, std::int64_t now_ns);

}  // namespace ringside::tool
