#pragma once
// Writes any trace as a NetTrace file.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// Timestamps are nanoseconds of Unix time.
std::unique_ptr<TraceWriter> write_nettrace(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
