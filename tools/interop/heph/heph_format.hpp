#pragma once
// Recognises, reads, inspects and writes Heph traces, version 0.1.0.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// Names for what the event model has no place for: the field with the description of an event whose
// statement has none, and the statement of unknown options.
inline constexpr std::string_view kHephDescription = "heph.description";
inline constexpr std::string_view kHephOption = "heph.option";

bool recognise_heph(std::span<const std::byte> first_bytes);

ReadOutcome read_heph(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// JSON: schema heph-packets-1; text and CSV: one line per packet.
ReadOutcome inspect_heph(InputBytes& input, InspectStyle style, OutputBytes& output);

std::unique_ptr<TraceWriter> write_heph(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
