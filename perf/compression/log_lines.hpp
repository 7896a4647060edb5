// Records of text logs that log_records.py has split into statements and arguments.
#pragma once

#include <string>

#include "perf/compression/trace_maker.hpp"

namespace ringside::perf {

// `path`: lines of ticks, template and arguments, separated by tabs. An argument of a template is
// an i64, else an f64, if it is one in all lines; else a string. Throws std::runtime_error.
void add_log_lines(TraceMaker& trace, const std::string& path);

}  // namespace ringside::perf
