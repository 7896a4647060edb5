// Reads a trace to its end, as every tool does: all events, and the text of each.
#pragma once

#include <memory>
#include <vector>

#include "trace-format/blocks/trace_file.hpp"

namespace ringside::fuzz {

void read_trace(std::unique_ptr<trace::TraceFile> file);

// Reads a trace that this project has written: ends the process if any of it is damaged.
void read_sound_trace(std::unique_ptr<trace::TraceFile> file);

}  // namespace ringside::fuzz
