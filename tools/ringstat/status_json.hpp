#pragma once
// ringstat --once --json: the state of services, by ringstat.schema.json.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ringside::tool {

struct ServiceView;
struct SessionView;

nlohmann::ordered_json status_json(const std::vector<ServiceView>& services,
                                   const std::vector<SessionView>& sessions,
                                   const std::vector<std::string>& troubles,
                                   std::uint64_t interval_ns);

}  // namespace ringside::tool
