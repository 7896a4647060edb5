#pragma once
// Converts Ringside's records to TPTP traces of either form.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool::tptp {

std::unique_ptr<TraceWriter> write_binary(OutputBytes& output, ConversionReport& report);
std::unique_ptr<TraceWriter> write_xml(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool::tptp
