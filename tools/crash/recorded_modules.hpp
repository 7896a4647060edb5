#pragma once
// The modules that a trace names, for each process.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/crash/section_ends.hpp"
#include "tools/symbols/mapped_code.hpp"
#include "trace-format/blocks/read_report.hpp"

namespace ringside::tool {

using RecordedModules = std::map<SegmentUuid, std::vector<MappedCode>>;

// Appends it, unless the last one at its place is equal: services repeat these records. At most
// 10,000 of a process.
void add_module(std::vector<MappedCode>& modules, MappedCode&& module);

// Of all records `ringside.module` in `paths`, in their order; other records are left out by whole
// extents. False with `*error` if a path cannot be read.
bool read_modules(std::span<const std::string> paths, RecordedModules* modules,
                  trace::ReadError* error);

}  // namespace ringside::tool
