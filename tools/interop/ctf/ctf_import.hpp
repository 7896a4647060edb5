#pragma once
// Reads traces of the Common Trace Format 1.8: those of LTTng, of babeltrace2's sink.ctf.fs, and
// what --to ctf writes, which comes back as it was.

#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// A directory with `metadata` in it.
bool recognise_ctf(const std::string& path);

ReadOutcome read_ctf(const std::string& path, TraceBuilder& builder, ConversionReport& report);

}  // namespace ringside::tool
