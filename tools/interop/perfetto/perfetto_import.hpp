#pragma once
// Perfetto's protobuf traces as Ringside traces.

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// Track events: slices become spans, at their begins, when their ends are known. Packets that are
// not sound are skipped and told; what is no packet ends the reading. Memory: 512 MiB at most of
// strings, tracks, sequences and slices that are open, and the largest packet.
ReadOutcome read_perfetto(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

}  // namespace ringside::tool
