#pragma once
// TPTP traces of both forms as traces of Ringside's.

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

ReadOutcome read_binary(InputBytes& input, TraceBuilder& builder, ConversionReport& report);
ReadOutcome read_xml(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

}  // namespace ringside::tool::tptp
