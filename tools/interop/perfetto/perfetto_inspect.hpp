#pragma once
// Lists the contents of a Perfetto trace.

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool {

// Schema `perfetto-1`: packets by kind, events by type, sequences, tracks, strings, missing
// packets. As CSV one line for each kind of packet.
ReadOutcome inspect_perfetto(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
