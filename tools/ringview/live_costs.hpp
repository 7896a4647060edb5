#pragma once
// What log calls of running services cost, where RINGSIDE_COST_SAMPLING measures them.

#include <string>
#include <string_view>

namespace ringside::tool {

// The member `call_costs` (README.md, "Requests") of what `ringstat --once --json` prints; `[]` if
// it is not that.
std::string call_costs_of(std::string_view ringstat_json);

// Asks `program`, a ringstat, about the services of this directory. Takes about 200 ms; `[]` if
// there is no answer.
std::string call_costs(const std::string& program, const std::string& shm_dir);

}  // namespace ringside::tool
