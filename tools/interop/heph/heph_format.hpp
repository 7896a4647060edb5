#pragma once
// Heph traces, version 0.1.0: recognised, read, shown and written.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "tools/interop/format_registry.hpp"

namespace ringside::tool {

// Of records, where the event model has no place: the field that holds the description of an event
// whose statement has none, and the name of the statement of options that are not known.
inline constexpr std::string_view kHephDescription = "heph.description";
inline constexpr std::string_view kHephOption = "heph.option";

bool recognise_heph(std::span<const std::byte> first_bytes);

ReadOutcome read_heph(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// JSON: schema heph-packets-1; text and CSV: a line a packet.
ReadOutcome inspect_heph(InputBytes& input, InspectStyle style, OutputBytes& output);

std::unique_ptr<TraceWriter> write_heph(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
