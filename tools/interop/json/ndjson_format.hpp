#pragma once
// Reads JSON objects, one per line (line_writers.hpp writes them).

#include <cstddef>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

bool recognise_ndjson(std::span<const std::byte> first_bytes);
ReadOutcome read_ndjson(InputBytes& input, TraceBuilder& builder, ConversionReport& report);
// JSON schema "ndjson-1": counts of the file's contents; CSV: one line per object.
ReadOutcome inspect_ndjson(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
