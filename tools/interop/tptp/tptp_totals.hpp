#pragma once
// Converts the spans of a trace to the totals of its calls: TPTP's aggregated methods, of either
// form.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool::tptp {

std::unique_ptr<TraceWriter> write_binary_totals(OutputBytes& output, ConversionReport& report);
std::unique_ptr<TraceWriter> write_xml_totals(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool::tptp
