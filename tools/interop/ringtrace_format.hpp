#pragma once
// Ringside's own trace files as one of the formats. The builder makes the output, because a
// conversion can leave out records.

#include <cstddef>
#include <memory>
#include <span>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/site_definition.hpp"
#include "tools/interop/trace_writer.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

// The definition of `site` for a builder.
SiteDefinition definition_of(const trace::Site& site);

// Recognises packed files too.
bool recognise_ringtrace(std::span<const std::byte> first_bytes);

// One line, or JSON object, per block.
ReadOutcome inspect_ringtrace(InputBytes& input, InspectStyle style, OutputBytes& output);

std::unique_ptr<TraceWriter> write_ringtrace(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
