#pragma once
// Writes traces of the Common Trace Format 1.8: a directory with a file `metadata` in TSDL and one
// file of packets for each thread.

#include <memory>
#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// Creates the directory. `metadata` is written at the end: a directory without it is not a trace.
std::unique_ptr<TraceWriter> write_ctf(const std::string& path, ConversionReport& report,
                                       std::string* error);

}  // namespace ringside::tool
