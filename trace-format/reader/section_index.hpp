// A section opened from its end: END, INDEX, HEADER.
#pragma once

#include <cstdint>
#include <optional>

#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/section_scan.hpp"

namespace ringside::trace {

// The section that ends at `end`, if it has an INDEX block that agrees with the headers of the
// blocks that it points to. Sequence points and late extents are not checked: a reader checks those
// that it uses.
std::optional<SectionScan> read_indexed_section(TraceFile& file, std::uint64_t end);

}  // namespace ringside::trace
