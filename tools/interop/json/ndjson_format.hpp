#pragma once
// Reads JSON objects, one per line (line_writers.hpp writes them).

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

bool recognise_ndjson(std::span<const std::byte> first_bytes);
ReadOutcome read_ndjson(InputBytes& input, TraceBuilder& builder, ConversionReport& report);
// JSON schema "ndjson-1": counts of the file's contents; CSV: one line per object.
ReadOutcome inspect_ndjson(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
