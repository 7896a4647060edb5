#pragma once
// Converts Perfetto's protobuf traces to Ringside traces.

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Reads track events: slices become spans, at their begins, when their ends are known. Invalid
// packets are skipped and reported; bytes that are not a packet end the reading. Memory: at most
// 512 MiB of strings, tracks, sequences and open slices, and the largest packet.
ReadOutcome read_perfetto(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

}  // namespace ringside::tool
