#pragma once
// How exact the clocks of the hosts of a trace are, for people and programs.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "trace-format/blocks/host_clocks.hpp"

namespace ringside::tool {

// A table with a line for each host; empty without hosts.
std::string clocks_as_table(const trace::HostClocks& clocks);

// An array with an object for each host.
nlohmann::json clocks_as_json(const trace::HostClocks& clocks);

}  // namespace ringside::tool
