#pragma once
// Reads Chrome's trace event format (chrome_writer.hpp writes it).

#include <cstddef>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

bool recognise_chrome(std::span<const std::byte> first_bytes);
ReadOutcome read_chrome(InputBytes& input, TraceBuilder& builder, ConversionReport& report);
// JSON schema "chrome-1": counts of the file's contents; CSV: one line per event.
ReadOutcome inspect_chrome(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
