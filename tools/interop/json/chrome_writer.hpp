#pragma once
// Writes the JSON of Chrome's trace event format, which chrome://tracing, Perfetto and many others
// open.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// One event per line. Times are microseconds with three decimals, counted from the first record,
// whose time is in otherData.base_unix_ns: readers store them as doubles, which are too small for
// Unix time. Memory: the threads, and 65,536 activities.
std::unique_ptr<TraceWriter> write_chrome(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
