// A first look over a trace file, at its block headers only: where its sections lie, what time they
// cover and which extents stand behind a sequence point that they belong before.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace-format/clock_map.hpp"
#include "trace-format/trace_event.hpp"
#include "trace-format/trace_file.hpp"

namespace ringside::trace {

struct LateExtent {
  std::uint64_t min_tsc = 0;
  std::uint64_t offset = 0;
};

struct SectionScan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::shared_ptr<SegmentInfo> segment;
  ClockMap clocks;  // never empty: without a sound CLOCK block what the header says, or ticks as ns
  std::vector<LateExtent> late;         // by rising min_tsc
  std::vector<std::uint64_t> metadata;  // offsets of DICTIONARY and STREAM blocks
  std::uint64_t first_unix_ns = 0;      // no record is older, if the headers tell the truth
};

// The sections of `file` that this version can read. A section whose HEADER is lost counts as one
// of an unknown segment. Sections for newer readers go to the report's notes.
std::vector<SectionScan> scan_sections(TraceFile& file, ReadReport& report);

}  // namespace ringside::trace
