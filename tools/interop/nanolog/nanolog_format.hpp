#pragma once
// Reads log files of NanoLog, of its C++17 and preprocessor versions, as its own decompressor does.

#include <cstddef>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

bool recognise_nanolog(std::span<const std::byte> first_bytes);

// A process for the file, a stream for each of the runtime's buffers.
ReadOutcome read_nanolog(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// Schema `nanolog-1`: every checkpoint, dictionary and extent.
ReadOutcome inspect_nanolog(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool
