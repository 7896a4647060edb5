#pragma once
// Lists the contents of a CTF trace: clocks, environment, kinds of events, and packets.

#include <string>

#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool {

// Schema `ctf-1`; as CSV, the packets.
ReadOutcome inspect_ctf(const std::string& path, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
