#pragma once
// Reads traces of the Common Trace Format 1.8 and 2: those of LTTng, of babeltrace2's sink.ctf.fs,
// and those of --to ctf, whose records come back unchanged.

#include <string>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/read_outcome.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool {

// A directory that contains `metadata`.
bool recognise_ctf(const std::string& path);

ReadOutcome read_ctf(const std::string& path, TraceBuilder& builder, ConversionReport& report);

}  // namespace ringside::tool
