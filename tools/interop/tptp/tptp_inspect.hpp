#pragma once
// `ringcat inspect` for TPTP traces of both forms: every message with its attributes.

#include "tools/interop/format_registry.hpp"

namespace ringside::tool::tptp {

bool recognise_binary(std::span<const std::byte> first_bytes);

// JSON: the schema trcbin-1.
ReadOutcome inspect_binary(InputBytes& input, InspectStyle style, OutputBytes& output);
// JSON: the schema trcxml-1, which lacks what only the binary form has.
ReadOutcome inspect_xml(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool::tptp
