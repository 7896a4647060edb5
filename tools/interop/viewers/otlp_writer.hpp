#pragma once
// OpenTelemetry's OTLP/JSON, one document per line, as its file exporter writes them.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// Records with a duration are spans (resourceSpans), all others logs (resourceLogs). A document
// holds up to 512 records of one process. Memory: two documents, the threads, and the open spans.
std::unique_ptr<TraceWriter> write_otlp(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
