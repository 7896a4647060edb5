#pragma once
// `ringcat inspect` for TPTP traces of both forms: every message with its attributes.

#include <cstddef>
#include <span>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/inspect_style.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::tptp {

bool recognise_binary(std::span<const std::byte> first_bytes);

// JSON: the schema trcbin-1.
ReadOutcome inspect_binary(InputBytes& input, InspectStyle style, OutputBytes& output);
// JSON: the schema trcxml-1, which lacks what only the binary form has.
ReadOutcome inspect_xml(InputBytes& input, InspectStyle style, OutputBytes& output);

}  // namespace ringside::tool::tptp
