#pragma once
// Recognises, reads, inspects and writes NetLogger's binary encoding.

#include <cstddef>
#include <memory>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

bool recognise_netlogger(std::span<const std::byte> first_bytes);

ReadOutcome read_netlogger(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// JSON: schema netlogger-1; text and CSV: one line per message, as ULM.
ReadOutcome inspect_netlogger(InputBytes& input, InspectStyle style, OutputBytes& output);

// With the extension types (netlogger_messages.hpp) for numbers that do not fit 32 bits.
std::unique_ptr<TraceWriter> write_netlogger(OutputBytes& output, ConversionReport& report);

// Only with the types of the white paper.
std::unique_ptr<TraceWriter> write_netlogger_1_0(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
