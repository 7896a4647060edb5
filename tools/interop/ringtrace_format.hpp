#pragma once
// Ringside's own trace files among the formats: what is written is what the builder makes, as a
// conversion may leave out records.

#include <cstddef>
#include <memory>
#include <span>

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

// As a builder takes it.
SiteDefinition definition_of(const trace::Site& site);

// Packed files too.
bool recognise_ringtrace(std::span<const std::byte> first_bytes);

// One line, or object, a block.
ReadOutcome inspect_ringtrace(InputBytes& input, InspectStyle style, OutputBytes& output);

std::unique_ptr<TraceWriter> write_ringtrace(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
