#pragma once
// What a Perfetto trace consists of.

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

// Schema `perfetto-1`: packets by kind, events by type, sequences, tracks, strings, what is
// missing. As CSV a line for each kind of packet.
ReadOutcome inspect_perfetto(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
