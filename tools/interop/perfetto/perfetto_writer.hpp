#pragma once
// Writes Perfetto's protobuf trace format, which ui.perfetto.dev and trace_processor open.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// Processes and threads become tracks; records with a duration slices, those of counters counter
// tracks, all others instants; activities flows; fields debug annotations. Times are Unix time.
// Memory: the threads, the open spans, and the strings that are sent once.
std::unique_ptr<TraceWriter> write_perfetto(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
