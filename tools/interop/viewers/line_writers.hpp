#pragma once
// One line per event, as `ringcat --format` prints them: NDJSON and CSV.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

std::unique_ptr<TraceWriter> write_ndjson(OutputBytes& output, ConversionReport& report);

// With all existing columns, after a line of their names (RFC 4180).
std::unique_ptr<TraceWriter> write_csv(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
