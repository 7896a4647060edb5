#pragma once
// Recognises, reads, inspects and writes Universal Logger Messages, NetLogger's text form.

#include <cstddef>
#include <memory>
#include <span>

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

// By DATE or NL.EVNT in the first line.
bool recognise_ulm(std::span<const std::byte> first_bytes);

ReadOutcome read_ulm(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// JSON: schema ulm-1; text and CSV: one line each.
ReadOutcome inspect_ulm(InputBytes& input, InspectStyle style, OutputBytes& output);

std::unique_ptr<TraceWriter> write_ulm(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
