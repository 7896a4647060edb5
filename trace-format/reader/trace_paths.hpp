// The files that a path names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace-format/blocks/read_report.hpp"

namespace ringside::trace {

// Appends `path` itself or, for a directory, its trace files in the order of their names, with
// numbers by value: *.ringtrace and *.ringtrace.zst; if both exist for one name, the unpacked one.
// Returns false with `*error` if the directory cannot be read.
bool expand_trace_path(const std::string& path, std::vector<std::string>& files, ReadError* error);

// Moves files whose names differ only in the last number (<service>.<pid>.<start>.<n>.ringtrace)
// next to the first of them, in the order of that number, regardless of their directories. A
// shell's * lists .10. before .2.
void put_rotated_in_order(std::vector<std::string>& files);

// The name of a file before it was packed; its own name if it is not packed.
std::string_view unpacked_name(std::string_view path);

// The name of a trace file after it was packed.
std::string packed_name(std::string_view path);

}  // namespace ringside::trace
