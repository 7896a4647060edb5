#pragma once
// TPTP traces of both forms as traces of Ringside's.

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/input_bytes.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/tptp/tptp_placement.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

ReadOutcome read_binary(InputBytes& input, TraceBuilder& builder, ConversionReport& report);
ReadOutcome read_xml(InputBytes& input, TraceBuilder& builder, ConversionReport& report);

// Of several traces, each of the form that its first bytes tell, that go to one builder by one
// placement.
ReadOutcome read_either_form(InputBytes& input, TraceBuilder& builder, ConversionReport& report,
                             Placement& placement);

}  // namespace ringside::tool::tptp
