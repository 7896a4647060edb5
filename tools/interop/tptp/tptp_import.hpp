#pragma once
// Converts TPTP traces of both forms to Ringside's traces.

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/tptp/tptp_placement.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

ReadOutcome read_binary(InputBytes& input, TraceBuilder& builder, ConversionReport& report);
ReadOutcome read_xml(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// For several traces, each in the form that its first bytes show, that go to one builder with one
// placement.
ReadOutcome read_either_form(InputBytes& input, TraceBuilder& builder, ConversionReport& report,
                             Placement& placement);

}  // namespace ringside::tool::tptp
