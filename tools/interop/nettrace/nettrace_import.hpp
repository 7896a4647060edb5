#pragma once
// Converts NetTrace files to Ringside traces.

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// A statement for each type of events, a stream for each pair of a thread and its capture thread,
// losses where sequence numbers are missing. Facts without another place: nettrace_facts.hpp.
ReadOutcome read_nettrace(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

}  // namespace ringside::tool
