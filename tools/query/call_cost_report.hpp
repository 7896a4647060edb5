#pragma once
// What log calls took in the services of a trace, for people and programs.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tools/query/trace_stats.hpp"
#include "trace-format/blocks/service_call_costs.hpp"

namespace ringside::tool {

// The services that measured calls and that the counts contain: by service, process and time.
std::vector<const trace::MeasuredCalls*> measured_services(const trace::ServiceCallCosts& costs,
                                                           const TraceStats& stats);

// A table with a line for each service; empty without services.
std::string call_costs_as_table(const std::vector<const trace::MeasuredCalls*>& services);

// An array with an object for each service.
nlohmann::json call_costs_as_json(const std::vector<const trace::MeasuredCalls*>& services);

}  // namespace ringside::tool
