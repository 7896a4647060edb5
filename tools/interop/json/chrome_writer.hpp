#pragma once
// The JSON of Chrome's trace event format, as chrome://tracing, Perfetto and many others open it.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// One event a line. Times are microseconds with three decimals from the first record on, whose time
// otherData.base_unix_ns has: readers take them for doubles, which Unix time would overtax.
// Memory: the threads, and 65,536 activities.
std::unique_ptr<TraceWriter> write_chrome(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
