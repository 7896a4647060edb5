#pragma once
// What a CLOCK block says about the system's clock, for `ringcat inspect`.

#include <string>

#include "tools/interop/inspect_style.hpp"
#include "trace-format/blocks/clock_map.hpp"

namespace ringside::tool {

// The end of the block's line, or members of its JSON object. Empty for CSV.
std::string clock_facts(const trace::ClockPoint& point, InspectStyle style);

}  // namespace ringside::tool
