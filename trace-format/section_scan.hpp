// A first look over a trace file, at its indices or else at its block headers only: where its
// sections lie, what time they cover and which extents stand behind a sequence point that they
// belong before.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "trace-format/block_writer.hpp"
#include "trace-format/clock_map.hpp"
#include "trace-format/trace_event.hpp"
#include "trace-format/trace_file.hpp"

namespace ringside::trace {

struct LateExtent {
  std::uint64_t min_tsc = 0;
  std::uint64_t offset = 0;
};

// A SEQUENCE_POINT block.
struct TimePoint {
  std::uint64_t offset = 0;
  std::uint64_t watermark = 0;
  std::uint64_t max_tsc_before = 0;  // of all extents before it
};

struct SectionScan {
  static constexpr std::uint64_t kNoTsc = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::shared_ptr<SegmentInfo> segment;
  ClockMap clocks;  // never empty: without a sound CLOCK block what the header says, or ticks as ns
  std::vector<LateExtent> late;         // by rising min_tsc
  std::vector<std::uint64_t> metadata;  // rising offsets of CLOCK, DICTIONARY and STREAM blocks
  std::vector<TimePoint> points;        // by rising offset; not necessarily all
  std::uint64_t min_tsc = kNoTsc;       // no record is older, if the headers tell the truth
  std::uint64_t max_tsc = 0;            // nor younger; kNoTsc and 0 without records
  std::uint64_t first_unix_ns = 0;      // of min_tsc
  bool ended = false;                   // by an END block
  bool indexed = false;                 // all this is what an INDEX block says
};

// The sections of `file` that this version can read, in their order. A section whose HEADER is lost
// counts as one of an unknown segment. Sections for newer readers go to the report's notes.
std::vector<SectionScan> scan_sections(TraceFile& file, ReadReport& report);

// The same of what begins at `begin`, in front of which there are whole sections.
std::vector<SectionScan> scan_sections_from(TraceFile& file, std::uint64_t begin,
                                            ReadReport& report);

// Puts what its blocks' headers say in the place of what the index said.
void rescan_section(TraceFile& file, SectionScan& section, ReadReport& report);

// What HEADER says; false if it wants a newer reader.
bool can_read(const SectionHeader& header);
std::shared_ptr<SegmentInfo> segment_of(const SectionHeader& header, const std::string& file);

}  // namespace ringside::trace
