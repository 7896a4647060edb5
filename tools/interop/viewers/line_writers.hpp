#pragma once
// One line an event, as `ringcat --format` prints them: NDJSON and CSV.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

std::unique_ptr<TraceWriter> write_ndjson(OutputBytes& output, ConversionReport& report);

// With all columns that there are, and a line of their names in front (RFC 4180).
std::unique_ptr<TraceWriter> write_csv(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
