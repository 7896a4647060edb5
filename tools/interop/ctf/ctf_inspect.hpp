#pragma once
// Lists the contents of a CTF trace: clocks, environment, kinds of events, and packets.

#include <string>

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

// Schema `ctf-1`; as CSV, the packets.
ReadOutcome inspect_ctf(const std::string& path, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
