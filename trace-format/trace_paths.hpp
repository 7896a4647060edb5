// Which files a path stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace-format/read_report.hpp"

namespace ringside::trace {

// Appends `path` itself, or of a directory its trace files in the order of their names, numbers in
// them by value: *.ringtrace and *.ringtrace.zst, of two for one name the one that is not packed.
// False with `*error` if the directory cannot be read.
bool expand_trace_path(const std::string& path, std::vector<std::string>& files, ReadError* error);

// Moves files whose names differ in the last number alone (<service>.<pid>.<start>.<n>.ringtrace)
// next to the first of them, in the order of that number. A shell's * gives .10. before .2.
void put_rotated_in_order(std::vector<std::string>& files);

// The name that a file had before it was packed; its own if it is not.
std::string_view unpacked_name(std::string_view path);

// The name that a trace file has after it was packed.
std::string packed_name(std::string_view path);

}  // namespace ringside::trace
