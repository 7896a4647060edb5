#pragma once
// Profiles for flame graphs: the time of spans, by thread.

#include <memory>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/output_bytes.hpp"
#include "tools/interop/trace_writer.hpp"

namespace ringside::tool {

// The file format of speedscope: an evented profile for each thread and substream, and further
// ones for overlapping spans. Times are nanoseconds from the first event on. Output beyond 32 MiB
// is spooled to a file, because the format requires one profile after the other.
std::unique_ptr<TraceWriter> write_speedscope(OutputBytes& output, ConversionReport& report);

// Folded stacks: "service;thread;span;span NANOSECONDS" for each stack, with the time spent in the
// innermost span itself. Memory: the stacks that occur.
std::unique_ptr<TraceWriter> write_folded(OutputBytes& output, ConversionReport& report);

}  // namespace ringside::tool
